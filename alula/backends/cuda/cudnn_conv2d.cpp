// Large convolutions by cuDNN, on tensor cores.
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>

#include "alula/backends/cuda/chain.h"
#include "alula/backends/cuda/cudnn_plans.h"
#include "alula/backends/cuda/event.h"
#include "alula/backends/cuda/gpu.h"
#include "alula/backends/cuda/kernels/movement.h"
#include "alula/core/log.h"
#include "alula/runtime/devices.h"

namespace alula::cuda {
namespace {

/// When cuDNN is used: where it is faster, or as ALULA_CUDNN says.
enum class Use : uint8_t { kIfFaster, kAlways, kNever };
Use use_of_cudnn() {
  const char* text = std::getenv("ALULA_CUDNN");
  const std::string_view word = text == nullptr ? "" : text;
  return word == "always" ? Use::kAlways : word == "never" ? Use::kNever : Use::kIfFaster;
}

/// A choice is made once for all that have this in common.
struct Key {
  Convolution convolution;
  bool read_again = false;
  Use use = Use::kIfFaster;
  auto operator<=>(const Key&) const = default;
};

Key key_of(const Conv2DTask& task) {
  Key key{Convolution(task.kind, task.input.dtype(), task.shape), task.read_again, use_of_cudnn()};
  key.convolution.tf32 =
      task.input.dtype() == float32 && config::tensor_float_32_execution_enabled();
  return key;
}

bool is_aligned(const Conv2DTask& task) {
  constexpr int64_t kBytes = 16;
  return cuda::is_aligned(task.input.data, kBytes) && cuda::is_aligned(task.filter.data, kBytes) &&
         cuda::is_aligned(task.output.data, kBytes);
}

/// Whether a convolution takes so long that loading cuDNN, a second, may pay.
bool is_large(const Conv2DShape& shape) {
  constexpr double kFlops = 1e9;
  return shape.flops() >= kFlops;
}

/// Whether tensor cores win for certain, so that our own kernel need not be compiled to be timed.
bool is_sure(const Convolution& convolution, const Conv2DShape& shape) {
  constexpr double kFlops = 4e9;
  constexpr int64_t kChannels = 32;
  return (is_half(convolution.dtype) || convolution.tf32) && shape.flops() >= kFlops &&
         std::min(shape.group_in(), shape.group_out()) >= kChannels;
}

View& result_of(Conv2DTask& task) {
  switch (task.kind) {
    case Conv2DTask::Kind::kForward: return task.output;
    case Conv2DTask::Kind::kInputGradient: return task.input;
    case Conv2DTask::Kind::kFilterGradient: break;
  }
  return task.filter;
}

/// The convolutions of one card.
class Convolutions {
 public:
  bool suits(const KernelCall& call, const Conv2DTask& task);
  void run(const KernelCall& call, const Conv2DTask& task);

 private:
  using Choice = std::optional<ConvolutionPlan>;  // none: our own kernels

  Choice choose(const Key& key, const KernelCall& call, Conv2DTask task);
  void put(const ConvolutionPlan& plan, const KernelCall& call, const Conv2DTask& task);
  template <class Put>
  double time_of(const Put& put);
  void make_ready();

  std::mutex mutex_;
  cudnnHandle_t handle_ = nullptr;
  std::optional<Stopwatch> stopwatch_;
  std::map<Key, Choice> choices_;
};

void Convolutions::make_ready() {
  if (!stopwatch_) stopwatch_.emplace();
  if (handle_ == nullptr) check(find_cudnn()->create(&handle_), "cudnnCreate");
}

/// cuDNN's filters are [out_channels, height, width, in_channels], and ours the transpose of that.
void Convolutions::put(const ConvolutionPlan& plan, const KernelCall& call,
                       const Conv2DTask& task) {
  const int64_t channels = task.shape.out_channels, terms = task.filter.size() / channels;
  const Spec ours{task.filter.dtype(), {terms, channels}}, theirs{ours.dtype, {channels, terms}};
  const Scratch turned(static_cast<size_t>(theirs.bytes()));
  const Scratch workspace(static_cast<size_t>(plan.workspace));
  const View from{&ours, task.filter.data}, to{&theirs, turned.data()};
  const bool makes_filter = task.kind == Conv2DTask::Kind::kFilterGradient;
  if (!makes_filter) {
    StridedCopy copy;
    copy.add(channels, 1);
    copy.add(terms, channels);
    copy.run(call, from, 0, to);
  }
  if (Chain* chain = Chain::current(current_gpu())) chain->finish(call.queue);
  check(find_cudnn()->set_stream(handle_, static_cast<cudaStream_t>(call.queue)), "cudnnSetStream");
  cuda::run(plan, handle_, task.input.data, to.data, task.output.data, workspace.data());
  if (makes_filter) {
    StridedCopy copy;
    copy.add(terms, 1);
    copy.add(channels, terms);
    copy.run(call, to, 0, from);
  }
}

/// Milliseconds of what `put` puts on a stream, apart from what is being captured or chained.
template <class Put>
double Convolutions::time_of(const Put& put) {
  constexpr int kRuns = 4;  // of which the first one loads
  Gpu& gpu = current_gpu();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRuns; ++i) {
    Gpu::Blocks scratch;
    Gpu::Blocks* before = gpu.keep_scratch_in(&scratch);
    const auto end = [&] {
      gpu.keep_scratch_in(before);
      cudaStreamSynchronize(stopwatch_->stream());
      for (const Gpu::Block& block : scratch) gpu.memory().release(block.data, block.bytes);
    };
    try {
      Chain apart(gpu, {});
      const double time = stopwatch_->time_of([&](cudaStream_t stream) {
        put(stream);
        apart.finish(stream);
      });
      if (i > 0) least = std::min(least, time);
    } catch (...) {
      end();
      throw;
    }
    end();
  }
  return least;
}

Convolutions::Choice Convolutions::choose(const Key& key, const KernelCall& call, Conv2DTask task) {
  constexpr size_t kCandidates = 10;
  constexpr double kNever = 1e30;
  const std::string name = to_string(key.convolution);
  make_ready();
  std::vector<ConvolutionPlan> plans =
      plans_of(key.convolution, {.handle = handle_, .description = ""}, kCandidates);
  if (plans.empty()) {
    logging::info("GPU: cuDNN has no plan for the {}.", name);
    return std::nullopt;
  }
  // Links that wait belong to the call's queue. Memory may be given out that work on the card's
  // stream still reads, which is right for that stream only.
  Gpu& gpu = current_gpu();
  if (Chain* chain = Chain::current(gpu)) chain->finish(call.queue);
  check(cudaStreamSynchronize(gpu.stream()), "cudaStreamSynchronize");
  View& result = result_of(task);
  const auto bytes = static_cast<size_t>(result.bytes());
  // Of a gradient's operands, that of the output may not be there yet: then any numbers do.
  const bool lacks = &result != &task.output && task.output.data == nullptr;
  const auto with_result = [&](cudaStream_t stream, bool again, const auto& make) {
    const Scratch made(bytes), copied(again ? bytes : 0),
        lacking(lacks ? static_cast<size_t>(task.output.bytes()) : 0);
    result.data = made.data();
    if (lacks) task.output.data = lacking.data();
    make(KernelCall{.inputs = {}, .outputs = {}, .queue = stream});
    // A program that reads the result takes about as long as a copy of it.
    if (again) gpu.copy(copied.data(), made.data(), bytes, stream);
  };
  double best = kNever;
  Choice choice;
  for (ConvolutionPlan& plan : plans) {
    double time = kNever;
    try {
      time = time_of([&](cudaStream_t stream) {
        with_result(stream, key.read_again, [&](const KernelCall& c) { put(plan, c, task); });
      });
    } catch (const Error& error) {
      logging::info("GPU: cuDNN's engine {} fails for the {}: {}", plan.engine, name, error.what());
      continue;
    }
    // Those that come first are good guesses; another must be clearly better.
    if (time > 0.97 * best) continue;
    best = time;
    choice = std::move(plan);
  }
  if (!choice || key.use == Use::kAlways || is_sure(key.convolution, task.shape)) {
    logging::info("GPU: cuDNN takes {:.1f} us for the {}{}.", 1000 * best, name,
                  choice ? fmt::format(" (engine {})", choice->engine) : "");
    return choice;
  }
  const double ours = time_of([&](cudaStream_t stream) {
    with_result(stream, false, [&](const KernelCall& c) { run_task(c, task); });
  });
  logging::info("GPU: cuDNN takes {:.1f} us, our own kernel {:.1f} us for the {} (engine {}).",
                1000 * best, 1000 * ours, name, choice->engine);
  return best < ours ? std::move(choice) : std::nullopt;
}

bool Convolutions::suits(const KernelCall& call, const Conv2DTask& task) {
  constexpr size_t kMostChoices = 4096;
  const Key key = key_of(task);
  const std::lock_guard lock(mutex_);
  if (const auto found = choices_.find(key); found != choices_.end()) return !!found->second;
  Choice choice;
  try {
    choice = choose(key, call, task);
  } catch (const Error& error) {
    logging::warn("GPU: the {} runs without cuDNN: {}", to_string(key.convolution), error.what());
  }
  if (choices_.size() == kMostChoices) choices_.clear();
  return !!choices_.emplace(key, std::move(choice)).first->second;
}

void Convolutions::run(const KernelCall& call, const Conv2DTask& task) {
  const std::lock_guard lock(mutex_);
  const auto found = choices_.find(key_of(task));
  require<InternalError>(found != choices_.end() && found->second,
                         "GPU: a convolution has no plan of cuDNN's.");
  put(*found->second, call, task);
}

/// For each card, made when it is first needed and never destroyed, as the card itself.
Convolutions& convolutions_of(const Gpu& gpu) {
  static std::mutex mutex;
  static auto& all = *new std::map<int, Convolutions>;
  const std::lock_guard lock(mutex);
  return all[gpu.info().ordinal];
}

class CudnnConv2D final : public Conv2DLibrary {
 public:
  CudnnConv2D() { set_conv2d_library(this); }

  bool suits(const KernelCall& call, const Conv2DTask& task) override {
    const DType dtype = task.input.dtype();
    const Use use = use_of_cudnn();
    if (use == Use::kNever || (!is_large(task.shape) && use != Use::kAlways)) return false;
    if (!(is_half(dtype) || dtype == float32) || !is_aligned(task)) return false;
    return find_cudnn() != nullptr && convolutions_of(current_gpu()).suits(call, task);
  }
  void run(const KernelCall& call, const Conv2DTask& task) override {
    convolutions_of(current_gpu()).run(call, task);
  }
};
CudnnConv2D registered;

}  // namespace
}  // namespace alula::cuda
