#include "alula/backends/cuda/cudnn_plans.h"

#include <algorithm>
#include <optional>

namespace alula::cuda {
namespace {

using Kind = Convolution::Kind;
using Pair = Convolution::Pair;
using Dims = std::array<int64_t, 4>;

constexpr std::array<int64_t, 3> kIds = {1, 2, 3};  // input, filter, output
constexpr int64_t kAlignment = 16;                  // bytes, of every operand
constexpr int64_t kMostWorkspace = int64_t{1} << 30;

cudnnDataType_t data_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return CUDNN_DATA_HALF;
    case DType::kBFloat16: return CUDNN_DATA_BFLOAT16;
    case DType::kFloat32: return CUDNN_DATA_FLOAT;
    default: fail<InternalError>("GPU: cuDNN convolves no {}.", dtype);
  }
}

/// cuDNN names dimensions as if channels came second; the strides say that they come last.
CudnnDescriptor make_tensor(DType dtype, int64_t id, int64_t count, Pair sizes, int64_t channels) {
  const Dims dims = {count, channels, sizes[0], sizes[1]};
  const Dims strides = {sizes[0] * sizes[1] * channels, 1, sizes[1] * channels, channels};
  CudnnDescriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, data_type(dtype))
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, std::span<const int64_t>(dims))
      .set(CUDNN_ATTR_TENSOR_STRIDES, std::span<const int64_t>(strides))
      .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment)
      .finish();
  return tensor;
}

CudnnDescriptor make_windows(const Convolution& convolution) {
  CudnnDescriptor windows(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  windows.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64_t{2})
      .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT)
      .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
      .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, std::span<const int64_t>(convolution.before))
      .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, std::span<const int64_t>(convolution.after))
      .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, std::span<const int64_t>(convolution.dilations))
      .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, std::span<const int64_t>(convolution.strides))
      .finish();
  return windows;
}

/// What cuDNN calls the operands of each kind.
struct Names {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t input, filter, output, windows, alpha, beta;
};
Names names_of(Kind kind) {
  switch (kind) {
    case Kind::kForward:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    case Kind::kInputGradient:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    case Kind::kFilterGradient: break;
  }
  return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
}

/// A graph of one operation. (It keeps what it was made of.)
CudnnDescriptor make_graph(const Convolution& convolution, cudnnHandle_t handle) {
  const DType dtype = convolution.dtype;
  const Names names = names_of(convolution.kind);
  CudnnDescriptor operation(names.operation);
  operation
      .set(names.input, make_tensor(dtype, kIds[0], convolution.batch, convolution.input,
                                    convolution.in_channels))
      .set(names.filter, make_tensor(dtype, kIds[1], convolution.out_channels, convolution.size,
                                     convolution.in_channels / convolution.groups))
      .set(names.output, make_tensor(dtype, kIds[2], convolution.batch, convolution.output,
                                     convolution.out_channels))
      .set(names.windows, make_windows(convolution))
      .set(names.alpha, 1.0f)
      .set(names.beta, 0.0f)
      .finish();
  CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  if (handle != nullptr) graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
  graph.finish();
  return graph;
}

/// A card that is only described; none where there is a handle.
std::optional<CudnnDescriptor> make_card(const CudnnTarget& target) {
  if (target.handle != nullptr) return std::nullopt;
#if CUDNN_VERSION >= 91100
  std::optional<CudnnDescriptor> card(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  card->set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
            std::span<const char>(target.description.data(), target.description.size()))
      .finish();
  return card;
#else
  fail<UnimplementedError>("GPU: this cuDNN makes no plans without a GPU (9.11 does).");
#endif
}

/// Engines with their settings, as the heuristics order them: those that they recommend, then those
/// that always work.
std::vector<CudnnDescriptor> find_engines(const CudnnDescriptor& graph,
                                          const std::optional<CudnnDescriptor>& card) {
  constexpr int64_t kMost = 64;
  std::vector<CudnnDescriptor> found;
  for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    CudnnDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
        .set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
#if CUDNN_VERSION >= 91100
    if (card) heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *card);
#endif
    if (!heuristics.try_finish()) continue;
    for (CudnnDescriptor& engine : heuristics.descriptors(
             CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, kMost))
      found.push_back(std::move(engine));
  }
  return found;
}

/// Whether an engine gives the same numbers every time, and numbers as good as asked for.
bool is_good(const CudnnDescriptor& engine, const Convolution& convolution) {
  const auto notes = engine.list<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                              CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  const bool exact = convolution.dtype == float32 && !convolution.tf32;
  return std::none_of(notes.begin(), notes.end(), [&](cudnnBackendNumericalNote_t note) {
    switch (note) {
      case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
      case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS: return exact;
      case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
      case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
      case CUDNN_NUMERICAL_NOTE_FFT:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13: return true;
      default: return false;
    }
  });
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kForward: return "convolution";
    case Kind::kInputGradient: return "input gradient";
    case Kind::kFilterGradient: break;
  }
  return "filter gradient";
}

}  // namespace

Convolution::Convolution(Kind kind, DType dtype, const Conv2DShape& shape)
    : kind(kind),
      dtype(dtype),
      batch(shape.batch),
      in_channels(shape.in_channels),
      out_channels(shape.out_channels),
      groups(shape.groups) {
  const Window &y = shape.windows.y, &x = shape.windows.x;
  input = {y.input, x.input};
  output = {y.output, x.output};
  size = {y.size, x.size};
  strides = {y.stride, x.stride};
  dilations = {y.dilation, x.dilation};
  before = {y.before, x.before};
  after = {y.after, x.after};
}

std::string to_string(const Convolution& c) {
  return fmt::format(
      "{}{} {} of {}x{}x{}x{} by {}x{}x{}x{}, strides {}x{}, dilations {}x{}, padding "
      "{},{},{},{}, groups {}",
      c.dtype, c.tf32 ? " (tf32)" : "", name_of(c.kind), c.batch, c.input[0], c.input[1],
      c.in_channels, c.size[0], c.size[1], c.in_channels / c.groups, c.out_channels, c.strides[0],
      c.strides[1], c.dilations[0], c.dilations[1], c.before[0], c.after[0], c.before[1],
      c.after[1], c.groups);
}

std::vector<ConvolutionPlan> plans_of(const Convolution& convolution, const CudnnTarget& target,
                                      size_t most) {
  const std::optional<CudnnDescriptor> card = make_card(target);
  const CudnnDescriptor graph = make_graph(convolution, target.handle);
  std::vector<ConvolutionPlan> plans;
  for (const CudnnDescriptor& choice : find_engines(graph, card)) {
    if (plans.size() == most) break;
    const CudnnDescriptor engine = std::move(
        choice.descriptors(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1).at(0));
    if (!is_good(engine, convolution)) continue;
    CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, choice);
    if (target.handle != nullptr) plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, target.handle);
#if CUDNN_VERSION >= 91100
    if (card) plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *card);
#endif
    if (!plan.try_finish()) continue;
    const auto workspace = plan.value<int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
    if (workspace > kMostWorkspace) continue;
    plans.push_back(
        {std::move(plan), workspace, engine.value<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX)});
  }
  return plans;
}

void run(const ConvolutionPlan& plan, cudnnHandle_t handle, void* input, void* filter, void* output,
         void* workspace) {
  void* const data[] = {input, filter, output};
  const CudnnArguments arguments(kIds, data, workspace);
  check(find_cudnn()->execute(handle, plan.plan.get(), arguments.get()), "cudnnBackendExecute");
}

}  // namespace alula::cuda
