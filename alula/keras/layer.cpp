#include "alula/keras/layer.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "alula/keras/input.h"
#include "alula/keras/names.h"
#include "alula/keras/words.h"
#include "alula/ops/cast.h"
#include "alula/runtime/autocast.h"

namespace alula::keras {
namespace {

/// Whether the call under way in this thread is training.
constinit thread_local bool t_training = false;
/// The number of the outermost call under way in this thread; 0 if there is none.
constinit thread_local uint64_t t_call = 0;
constinit std::atomic<uint64_t> g_calls = 0;

/// Sets what `training()` answers while a layer is called.
class CallScope {
 public:
  explicit CallScope(const CallOptions& options) : outer_(t_training), outermost_(t_call == 0) {
    t_training = options.training.value_or(outer_);
    if (outermost_) t_call = g_calls.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  ~CallScope() {
    t_training = outer_;
    if (outermost_) t_call = 0;
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  bool outer_, outermost_;
};

/// Within it variables are read as a layer wants them: a layer inside of another has a scope of its
/// own.
class ReadScope {
 public:
  ReadScope(const Policy& policy, bool casts) {
    if (casts && policy.is_mixed())
      scope_.emplace(policy.compute_dtype(), [](const Tensor& x, DType to) { return cast(x, to); });
    else if (t_state.flags & kAutocasting)
      scope_.emplace();
  }

 private:
  std::optional<AutocastScope> scope_;
};

std::vector<Shape> shapes_of(const std::vector<Tensor>& tensors) {
  std::vector<Shape> shapes;
  for (const Tensor& tensor : tensors) shapes.push_back(tensor.shape());
  return shapes;
}

bool any_symbolic(const std::vector<Tensor>& tensors) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const Tensor& tensor) { return tensor.is_symbolic(); });
}

/// The text of an error inside a layer, with the layer named. Only the innermost layer is.
std::string with_layer(const LayerImpl& layer, const std::string& what) {
  if (what.starts_with("layer '")) return what;
  return fmt::format("layer '{}' ({}): {}", layer.name(), layer.class_name(), what);
}

void check_single(const LayerImpl& layer, const std::vector<Tensor>& outputs) {
  require(outputs.size() == 1, "layer '{}' ({}): it has {} outputs. Use call_all().", layer.name(),
          layer.class_name(), outputs.size());
}

/// Each variable once, in order.
std::vector<Variable> without_repeats(const std::vector<Variable>& variables) {
  std::unordered_set<const void*> seen;
  std::vector<Variable> result;
  for (const Variable& variable : variables)
    if (seen.insert(variable.key()).second) result.push_back(variable);
  return result;
}

}  // namespace

// LayerImpl

void LayerImpl::set_class(const std::type_info& type) { set_class(class_name_of(type)); }

void LayerImpl::set_class(const std::string& class_name) {
  class_name_ = class_name;
  if (base_.name.empty()) base_.name = unique_name(snake_case(class_name_));
}

void LayerImpl::build_all(const std::vector<Shape>& inputs) { build(inputs[0]); }

Tensor LayerImpl::call(const Tensor&) {
  fail<UnimplementedError>(
      "layer '{}' ({}): it says nothing of how it is called with one input for one output. "
      "Override "
      "call(), or use call_all() if that is what it overrides.",
      name(), class_name());
}

std::vector<Tensor> LayerImpl::call_all(const std::vector<Tensor>& inputs) {
  require(inputs.size() == 1, "layer '{}' ({}): takes one input. Got {}.", name(), class_name(),
          inputs.size());
  return {call(inputs[0])};
}

std::shared_ptr<LayerImpl> LayerImpl::copy() const {
  fail<UnimplementedError>("layer '{}' ({}): it cannot be cloned. Override copy().", name(),
                           class_name());
}

Tensor LayerImpl::prepare(const Tensor& input) const {
  require(input.defined(), "layer '{}' ({}): an input is not defined yet.", name(), class_name());
  const DType wanted = compute_dtype();
  return is_floating(input.dtype()) && input.dtype() != wanted ? cast(input, wanted) : input;
}

void LayerImpl::check_input(const Spec& x) const {
  const InputSpec& wanted = input_spec_;
  require(wanted.rank < 0 || x.rank() == wanted.rank,
          "layer '{}' ({}): takes inputs of {} dimensions, batch included. Got {}.", name(),
          class_name(), wanted.rank, x);
  require(x.rank() >= wanted.min_rank,
          "layer '{}' ({}): takes inputs of at least {} dimensions, batch included. Got {}.",
          name(), class_name(), wanted.min_rank, x);
  if (wanted.channels == kUnknown || x.rank() == 0) return;
  const int64_t channels = x.shape.back();
  require(channels == wanted.channels || channels == kUnknown,
          "layer '{}' ({}): was built for inputs whose last dimension is {}. Got {}.", name(),
          class_name(), wanted.channels, x);
}

/// An input that the layer cannot be built for leaves it as it was.
void LayerImpl::ensure_built(const std::vector<Shape>& inputs) {
  if (built_) return;
  const WithoutTracing once;
  for (const Shape& input : inputs) check_input({compute_dtype(), input});
  try {
    build_all(inputs);
  } catch (...) {
    weights_.clear();
    trainable_count_ = 0;
    penalties_.clear();
    throw;
  }
  built_ = true;
  built_from_ = inputs;
  if (!base_.trainable) set_trainable(false);
}

Tensor LayerImpl::run(const Tensor& x, const CallOptions& options) {
  const CallScope scope(options);
  try {
    const Tensor input = prepare(x);
    if (!built_) ensure_built({input.shape()});
    check_input(input.spec());
    begin_call();
    const ReadScope reads(policy_, autocast_ == Autocast::kYes);
    if (!is_only_described(input)) return call(input);
    const std::vector<Tensor> outputs = note_call({x}, {input}, options);
    check_single(*this, outputs);
    return outputs[0];
  } catch (const InvalidArgumentError& error) {
    throw InvalidArgumentError(with_layer(*this, error.what()));
  }
}

std::vector<Tensor> LayerImpl::run_all(const std::vector<Tensor>& inputs,
                                       const CallOptions& options) {
  require(!inputs.empty(), "layer '{}' ({}): it needs an input.", name(), class_name());
  const CallScope scope(options);
  try {
    std::vector<Tensor> prepared;
    for (const Tensor& input : inputs) prepared.push_back(prepare(input));
    if (!built_) ensure_built(shapes_of(prepared));
    for (const Tensor& input : prepared) check_input(input.spec());
    begin_call();
    const ReadScope reads(policy_, autocast_ == Autocast::kYes);
    const bool describe = any_symbolic(prepared) && !t_state.tracing();
    return describe ? note_call(inputs, prepared, options) : call_all(prepared);
  } catch (const InvalidArgumentError& error) {
    throw InvalidArgumentError(with_layer(*this, error.what()));
  }
}

/// The layer is run on symbolic tensors to learn what comes out; what it does inside is forgotten,
/// and so is how its inputs were prepared, which each call does anew.
std::vector<Tensor> LayerImpl::note_call(const std::vector<Tensor>& given,
                                         const std::vector<Tensor>& prepared,
                                         const CallOptions& options) {
  std::vector<Spec> specs;
  for (const Tensor& output : call_all(prepared)) specs.push_back(output.spec());
  const auto call = std::make_shared<LayerCall>(Layer(shared_from_this()), given, options);
  // The first call that is still held, as in Keras: a layer inside of a model is called again
  // whenever that is.
  if (noted_.expired()) {
    noted_ = call;
    noted_specs_ = specs;
  }
  const Tensors outputs = symbolic_outputs(call, specs);
  return {outputs.begin(), outputs.end()};
}

std::vector<Tensor> LayerImpl::noted_inputs() const {
  const std::shared_ptr<const Call> call = noted_.lock();
  return call != nullptr ? call->inputs() : std::vector<Tensor>();
}

std::vector<Tensor> LayerImpl::noted_outputs() const {
  const std::shared_ptr<const Call> call = noted_.lock();
  if (call == nullptr) return {};
  const Tensors outputs = symbolic_outputs(call, noted_specs_);
  return {outputs.begin(), outputs.end()};
}

Variable LayerImpl::add_weight(const WeightOptions& options) {
  require(options.shape.is_known(),
          "layer '{}' ({}): the shape of its weight '{}' depends on a dimension of the input that "
          "is not known. Got {}.",
          name(), class_name(), options.name, options.shape);
  const Tensor value = options.initializer(options.shape, options.dtype.value_or(variable_dtype()));
  const Variable weight(value, {.trainable = options.trainable, .name = options.name});
  track_weight(weight);
  if (options.regularizer.given()) penalties_.emplace_back(weight, options.regularizer);
  return weight;
}

void LayerImpl::track_weight(const Variable& weight) {
  if (weight.trainable())
    weights_.insert(weights_.begin() + static_cast<ptrdiff_t>(trainable_count_++), weight);
  else
    weights_.push_back(weight);
}

void LayerImpl::untrack(const Layer& layer) {
  const auto found = std::find_if(sublayers_.begin(), sublayers_.end(), [&](const Layer& other) {
    return other.shared() == layer.shared();
  });
  if (found != sublayers_.end()) sublayers_.erase(found);
}

bool LayerImpl::training() const { return t_training; }

void LayerImpl::add_loss(const Tensor& loss) { added_losses_.push_back(loss); }

namespace {

/// A walk through layers and those in them, one of which may reach itself: a layer that the walk is
/// in already is passed over.
class Visit {
 public:
  explicit Visit(const void* layer)
      : first_(std::find(t_path.begin(), t_path.end(), layer) == t_path.end()) {
    t_path.push_back(layer);
  }
  ~Visit() { t_path.pop_back(); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  bool first() const { return first_; }

 private:
  static thread_local std::vector<const void*> t_path;
  bool first_;
};
thread_local std::vector<const void*> Visit::t_path;

}  // namespace

void LayerImpl::set_trainable(bool trainable) {
  const Visit visit(this);
  if (!visit.first()) return;
  base_.trainable = trainable;
  for (size_t i = 0; i < trainable_count_; ++i) weights_[i].set_trainable(trainable);
  for (const Layer& layer : sublayers_) layer.set_trainable(trainable);
}

std::vector<Variable> LayerImpl::weights() const {
  const Visit visit(this);
  if (!visit.first()) return {};
  std::vector<Variable> all = weights_;
  for (const Layer& layer : sublayers_)
    for (const Variable& weight : layer.impl().weights()) all.push_back(weight);
  return without_repeats(all);
}

std::vector<std::pair<std::string, Variable>> LayerImpl::named_weights() const {
  const Visit visit(this);
  if (!visit.first()) return {};
  std::vector<std::pair<std::string, Variable>> named;
  for (const Variable& weight : weights_) named.emplace_back(weight.name(), weight);
  std::unordered_set<const void*> seen;
  for (const Layer& layer : sublayers_) {
    if (!seen.insert(layer.shared().get()).second) continue;
    for (const auto& [path, weight] : layer.impl().named_weights())
      named.emplace_back(layer.name() + "/" + path, weight);
  }
  return named;
}

/// What was added in an earlier call is forgotten; a layer that is called twice in one keeps both.
void LayerImpl::begin_call() {
  if (last_call_.load(std::memory_order_relaxed) == t_call) return;
  last_call_.store(t_call, std::memory_order_relaxed);
  added_losses_.clear();
}

std::vector<Tensor> LayerImpl::losses() const {
  std::vector<Tensor> losses;
  std::unordered_set<const LayerImpl*> seen;
  collect_losses(last_call_.load(std::memory_order_relaxed), seen, losses);
  return losses;
}

/// Each layer's once, wherever it is held. What a layer added before the call `since` is old.
void LayerImpl::collect_losses(uint64_t since, std::unordered_set<const LayerImpl*>& seen,
                               std::vector<Tensor>& losses) const {
  if (!seen.insert(this).second) return;
  if (last_call_.load(std::memory_order_relaxed) >= since)
    losses.insert(losses.end(), added_losses_.begin(), added_losses_.end());
  if (base_.trainable)
    for (const auto& [weight, penalty] : penalties_) losses.push_back(penalty(weight));
  for (const Layer& layer : sublayers_) layer.impl().collect_losses(since, seen, losses);
}

void LayerImpl::clear_losses() {
  const Visit visit(this);
  if (!visit.first()) return;
  added_losses_.clear();
  for (const Layer& layer : sublayers_) layer.impl().clear_losses();
}

LayerImpl::State LayerImpl::state() const {
  State state;
  add_to(state);
  return state;
}

void LayerImpl::add_to(State& state) const {
  const Visit visit(this);
  if (!visit.first()) return;
  const auto mix = [&](const void* who, bool flag) {
    state.hash ^= reinterpret_cast<uintptr_t>(who) + (flag ? 1 : 0);
    state.hash *= 0x9E3779B97F4A7C15;
    state.hash ^= state.hash >> 32;
  };
  mix(this, base_.trainable);
  for (const Variable& weight : weights_) {
    mix(weight.key(), weight.trainable());
    if (!weight.device().is_cpu()) state.device = weight.device();
  }
  for (const Layer& layer : sublayers_) layer.impl().add_to(state);
  mix(nullptr, true);  // where a layer ends: the same ones may be nested otherwise
}

// Layer

Layer::Layer(const Tensor& input) : Layer(input_layer_of(input)) {}

LayerImpl& Layer::impl() const {
  require<FailedPreconditionError>(defined(), "layer: it is not defined yet.");
  return *impl_;
}

Tensor Layer::operator()(const Tensor& x, const CallOptions& options) const {
  return impl().run(x, options);
}

Tensor Layer::operator()(const std::vector<Tensor>& inputs, const CallOptions& options) const {
  const std::vector<Tensor> outputs = call_all(inputs, options);
  check_single(impl(), outputs);
  return outputs[0];
}

std::vector<Tensor> Layer::call_all(const std::vector<Tensor>& inputs,
                                    const CallOptions& options) const {
  return impl().run_all(inputs, options);
}

const std::string& Layer::name() const { return impl().name(); }
void Layer::build(const Shape& input) const { impl().ensure_built({input}); }
bool Layer::built() const { return impl().built(); }
std::vector<Variable> Layer::weights() const { return impl().weights(); }
bool Layer::trainable() const { return impl().trainable(); }
void Layer::set_trainable(bool trainable) const { impl().set_trainable(trainable); }
std::vector<Tensor> Layer::losses() const { return impl().losses(); }

std::vector<Variable> Layer::trainable_variables() const {
  std::vector<Variable> variables = weights();
  std::erase_if(variables, [](const Variable& variable) { return !variable.trainable(); });
  return variables;
}

std::vector<Variable> Layer::non_trainable_variables() const {
  std::vector<Variable> variables = weights();
  std::erase_if(variables, [](const Variable& variable) { return variable.trainable(); });
  return variables;
}

int64_t Layer::count_params() const {
  int64_t count = 0;
  for (const Variable& weight : weights()) count += weight.size();
  return count;
}

std::vector<Tensor> Layer::get_weights() const {
  std::vector<Tensor> values;
  for (const Variable& weight : weights()) values.push_back(weight.value());
  return values;
}

void Layer::set_weights(const std::vector<Tensor>& values) const {
  std::vector<Variable> variables = weights();
  require(values.size() == variables.size(), "set_weights: '{}' has {} weights. Got {} values.{}",
          name(), variables.size(), values.size(),
          built() ? "" : " It is not built yet: call it, or build() it, first.");
  for (size_t i = 0; i < values.size(); ++i)
    require(values[i].shape() == variables[i].shape(),
            "set_weights: weight {} of '{}' ({}) is {}. Got {}.", i, name(), variables[i].name(),
            variables[i].spec(), values[i].spec());
  for (size_t i = 0; i < values.size(); ++i)
    variables[i].assign(cast(values[i], variables[i].dtype()));
}

Tensors LayerCall::run(std::span<const Tensor> values) const {
  const std::vector<Tensor> outputs = layer_.call_all({values.begin(), values.end()}, options_);
  return {outputs.begin(), outputs.end()};
}

}  // namespace alula::keras
