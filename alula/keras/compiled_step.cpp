#include "alula/keras/compiled_step.h"

#include <algorithm>
#include <optional>

#include "alula/core/log.h"
#include "alula/ops/gather.h"
#include "alula/runtime/devices.h"

namespace alula::keras {
namespace {

/// Makes the weights of a model that has none yet, by running it on symbolic tensors: then random
/// numbers for weights are drawn before those of the step, eagerly or compiled.
void build(LayerImpl& model, const std::vector<Spec>& x) {
  std::vector<Tensor> symbols;
  for (const Spec& spec : x) symbols.push_back(Tensor::symbolic(spec, Ref<Note>(new Symbol)));
  try {
    model.run_all(symbols, {.training = true});
  } catch (const std::exception& error) {
    // It looks at values, or the input is wrong: the step will tell.
    logging::info("{}: its weights are made by the first step: {}", model.name(), error.what());
  }
  model.clear_losses();
}

/// What was traced must not stay in layers: `losses()` would give symbolic tensors.
class ForgetLosses {
 public:
  explicit ForgetLosses(LayerImpl& model) : model_(model) {}
  ~ForgetLosses() { model_.clear_losses(); }
  ForgetLosses(const ForgetLosses&) = delete;
  ForgetLosses& operator=(const ForgetLosses&) = delete;

 private:
  LayerImpl& model_;
};

void collect(const LayerImpl& layer, std::vector<Layer>& layers) {
  for (const Layer& inner : layer.sublayers()) {
    const auto same = [&](const Layer& other) { return other.shared() == inner.shared(); };
    if (std::any_of(layers.begin(), layers.end(), same)) continue;
    layers.push_back(inner);
    collect(inner.impl(), layers);
  }
}

/// The scope of a device, unless it is the CPU or there is a scope already.
class InPlace {
 public:
  explicit InPlace(Device device) {
    if (!device.is_cpu() && !(t_state.flags & ThreadState::kDeviceScope)) scope_.emplace(device);
  }

 private:
  std::optional<DeviceScope> scope_;
};

bool is_compiled_for(const Tensor& tensor) { return tensor.defined() && tensor.dtype() != string; }

bool all_compiled_for(const std::vector<Tensor>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), is_compiled_for);
}

}  // namespace

CompiledStep::CompiledStep(LayerImpl& model, std::string what, Function function, Mode mode)
    : model_(model), what_(std::move(what)), function_(std::move(function)), mode_(mode) {}

std::string CompiledStep::speaker() const {
  return fmt::format("{} of the model '{}'", what_, model_.name());
}

size_t CompiledStep::trace_count() const {
  const std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const auto& variant : variants_) count += variant->traces->count();
  return count + residents_.size();
}

Tensors CompiledStep::run_eagerly(const Batch& batch) const {
  const std::vector<Tensor> results = function_(batch);
  return {results.begin(), results.end()};
}

Tensors CompiledStep::operator()(const Batch& batch) {
  if (!model_.built()) {
    std::vector<Spec> specs;
    for (const Tensor& x : batch.x) specs.push_back(x.spec());
    build(model_, specs);
  }
  if (mode_.load(std::memory_order_relaxed) == Mode::kEager || !can_compile(batch))
    return run_eagerly(batch);
  try {
    return run_compiled(batch);
  } catch (const FailedPreconditionError& error) {
    return run_instead(batch, error.what());
  } catch (const UnimplementedError& error) {
    return run_instead(batch, error.what());
  }
}

/// A step inside of a function that is being traced becomes a part of it.
bool CompiledStep::can_compile(const Batch& batch) const {
  if (t_state.tracing()) return false;
  return all_compiled_for(batch.x) && all_compiled_for(batch.y) &&
         all_compiled_for(batch.sample_weight);
}

Tensors CompiledStep::run_compiled(const Batch& batch) {
  const LayerImpl::State state = model_.state();
  InlineVector<const Tensor*, 6> pointers;
  for (const auto* list : {&batch.x, &batch.y, &batch.sample_weight})
    for (const Tensor& tensor : *list) pointers.push_back(&tensor);
  const TensorRefs inputs(std::span<const Tensor* const>(pointers.data(), pointers.size()));
  Variant& variant = find(batch, inputs, state);
  const InPlace in_place(variant.home);
  return variant.traces->run(inputs);
}

CompiledStep::Variant& CompiledStep::find(const Batch& batch, TensorRefs inputs,
                                          const LayerImpl::State& state) {
  const std::lock_guard lock(mutex_);
  for (const auto& variant : variants_)
    if (variant->state == state.hash && variant->fits(batch)) return *variant;
  auto variant = make_variant(batch);
  variant->home = state.device;
  {
    const InPlace in_place(variant->home);
    variant->traces->find(inputs);
  }
  variant->state = model_.state().hash;  // layers may have made weights when they were traced
  collect(model_, variant->layers);
  variants_.push_back(std::move(variant));
  return *variants_.back();
}

CompiledStep::Resident::Resident(const ResidentData& data, int64_t batch_size)
    : maps(data.maps),
      parts(data.parts),
      device(data.device),
      batch_size(batch_size),
      positions(std::make_shared<std::deque<Tensor>>()) {
  for (const Tensor& tensor : data.tensors()) signature.push_back(tensor.spec());
}

bool CompiledStep::Resident::is_like(const Resident& other) const {
  return batch_size == other.batch_size && device == other.device && parts == other.parts &&
         signature == other.signature && maps == other.maps;
}

/// A batch picked from the data, and mapped, in a function that is being traced.
Batch CompiledStep::Resident::batch_at(const Tensor& picked,
                                       const std::vector<Tensor>& data) const {
  const auto variables = data.end() - static_cast<ptrdiff_t>(maps.variable_count());
  data::Row row;
  for (auto column = data.begin(); column != variables; ++column)
    row.push_back(gather(*column, picked));
  maps.apply_later(row, batch_size, {variables, data.end()}, draws);
  Batch batch;
  parts.give_out(row, batch);
  return batch;
}

/// What is traced.
std::vector<Tensor> CompiledStep::pick_and_run(const Resident& step,
                                               const std::vector<Tensor>& data) const {
  const Spec spec{int64, {step.batch_size}};
  const Tensor picked =
      host_tensors({&spec, 1}, [positions = step.positions]() -> std::vector<Tensor> {
        Tensor next = std::move(positions->front());
        positions->pop_front();
        return {std::move(next)};
      })[0];
  const ForgetLosses forget(model_);
  return function_(step.batch_at(picked, data));
}

/// Makes the weights for batches as they come of the maps.
void CompiledStep::build_for(const Resident& step) {
  const auto inputs = [&](const std::vector<Tensor>& data) {
    return step.batch_at(Tensor(std::vector<int64_t>(static_cast<size_t>(step.batch_size))), data)
        .x;
  };
  const graph::Graph picked = graph::trace(inputs, step.signature);
  std::vector<Spec> specs;
  for (const graph::Value& output : picked.outputs) specs.push_back(picked.spec(output));
  build(model_, specs);
}

CompiledStep::Resident& CompiledStep::find_resident(const ResidentData& data, int64_t batch_size) {
  auto made = std::make_unique<Resident>(data, batch_size);
  const uint64_t state = model_.state().hash;
  for (const auto& resident : residents_)
    if (resident->state == state && resident->is_like(*made)) return *resident;
  if (!model_.built()) build_for(*made);
  const auto traced = [&](const std::vector<Tensor>& all) { return pick_and_run(*made, all); };
  made->compiled = std::make_unique<graph::Compiled>(graph::trace(traced, made->signature),
                                                     graph::PassOptions(), data.device);
  made->state = model_.state().hash;
  collect(model_, made->layers);
  // Kinds of data come and go: those of a few calls are enough.
  constexpr size_t kMost = 8;
  if (residents_.size() == kMost) residents_.erase(residents_.begin());
  residents_.push_back(std::move(made));
  return *residents_.back();
}

Tensors CompiledStep::run_resident(const ResidentData& data, std::span<const data::Picks> picks,
                                   std::vector<Tensor>* firsts) {
  const std::lock_guard lock(mutex_);
  const DeviceScope scope(data.device);
  Resident& step = find_resident(data, picks[0][0].shape()[0]);
  step.positions->clear();
  for (const data::Picks& each : picks) step.positions->push_back(each[0]);
  step.draws.expect(picks);
  const std::vector<Tensor> tensors = data.tensors();
  std::vector<const Tensor*> pointers;
  for (const Tensor& tensor : tensors) pointers.push_back(&tensor);
  return step.compiled->run_times(TensorRefs(pointers), std::ssize(picks), firsts);
}

bool CompiledStep::Variant::fits(const Batch& batch) const {
  return batch.x.size() == x && batch.y.size() == y && batch.sample_weight.size() == sample_weight;
}

std::unique_ptr<CompiledStep::Variant> CompiledStep::make_variant(const Batch& batch) const {
  auto variant = std::make_unique<Variant>();
  const size_t x = batch.x.size(), y = batch.y.size();
  variant->x = x;
  variant->y = y;
  variant->sample_weight = batch.sample_weight.size();
  const auto traced = [this, x, y](const std::vector<Tensor>& inputs) {
    const auto begin = inputs.begin();
    const auto labels = begin + static_cast<ptrdiff_t>(x);
    const auto rest = labels + static_cast<ptrdiff_t>(y);
    const ForgetLosses forget(model_);
    return function_({{begin, labels}, {labels, rest}, {rest, inputs.end()}});
  };
  variant->traces = std::make_unique<graph::Traces>(traced, graph::PassOptions(), speaker());
  return variant;
}

/// If it fails eagerly, too, that error is the one to tell of.
Tensors CompiledStep::run_instead(const Batch& batch, const std::string& reason) {
  Tensors results = run_eagerly(batch);
  if (mode_.exchange(Mode::kEager) == Mode::kCompiled)
    logging::warn(
        "{}: it runs eagerly, because it cannot be compiled: {} Use ops instead of looking at "
        "values, or compile() with run_eagerly = true if this is meant.",
        speaker(), reason);
  return results;
}

}  // namespace alula::keras
