#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "alula/keras/initializers.h"
#include "alula/keras/mixed_precision.h"
#include "alula/keras/regularizers.h"
#include "alula/keras/setting.h"
#include "alula/runtime/dispatch.h"
#include "alula/runtime/variable.h"

namespace alula::keras {

class LayerImpl;

/// The shape of one example, without the batch: {28, 28, 1}. A dimension may be kUnknown.
class InputShape {
 public:
  /// Not given: known when the first input comes.
  InputShape() = default;
  InputShape(std::initializer_list<int64_t> dims) : shape_(dims), given_(true) {}
  InputShape(const Shape& shape) : shape_(shape), given_(true) {}

  bool given() const { return given_; }
  /// With a batch of unknown size before it.
  Shape with_batch() const { return shape_.with_inserted(0, kUnknown); }

 private:
  Shape shape_;
  bool given_ = false;
};

struct CallOptions {
  Setting<bool> training = {};  // that of the layer or model around it; otherwise false
};

/// A layer as users hold it. Copies are the same layer, with the same weights.
///   layers::Dense dense({.units = 10, .activation = "relu"});
///   Tensor y = dense(x);
class Layer {
 public:
  /// No layer: `defined()` is false.
  Layer() = default;
  explicit Layer(std::shared_ptr<LayerImpl> impl) : impl_(std::move(impl)) {}
  /// What `Input` gave, as the first item of a Sequential.
  Layer(const Tensor& input);

  /// Calls the layer. It makes its weights at the first call. On a symbolic tensor (see `Input`)
  /// the call is noted with its options, to become part of a functional model.
  Tensor operator()(const Tensor& x, const CallOptions& options = {}) const;
  Tensor operator()(const std::vector<Tensor>& inputs, const CallOptions& options = {}) const;
  /// Numbers in braces are one tensor: dense({{1.f, 2.f}}).
  Tensor operator()(std::initializer_list<Literal> x, const CallOptions& options = {}) const {
    return (*this)(Tensor(x), options);
  }
  /// The same for a layer or model with several outputs.
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs,
                               const CallOptions& options = {}) const;

  bool defined() const { return impl_ != nullptr; }
  const std::string& name() const;
  /// Makes the weights for inputs of this shape, batch included.
  void build(const Shape& input) const;
  bool built() const;

  /// All weights, the trainable ones of a layer first; layer by layer in a model.
  std::vector<Variable> weights() const;
  std::vector<Variable> trainable_variables() const;
  std::vector<Variable> non_trainable_variables() const;
  /// The number of elements of all weights.
  int64_t count_params() const;
  std::vector<Tensor> get_weights() const;
  /// Sets all weights, in the order of `weights()`. If one does not fit, none is changed.
  void set_weights(const std::vector<Tensor>& values) const;

  bool trainable() const;
  /// Freezes, or unfreezes, the layer and all in it.
  void set_trainable(bool trainable) const;
  /// The penalties of regularizers, and what layers added in the last call, each as often as it was
  /// called in it.
  std::vector<Tensor> losses() const;

  LayerImpl& impl() const;
  const std::shared_ptr<LayerImpl>& shared() const { return impl_; }

 private:
  std::shared_ptr<LayerImpl> impl_;
};

/// What every layer can be told.
struct LayerOptions {
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};  // of its weights, and what it computes in: the global policy
};

struct WeightOptions {
  std::string name = {};
  Shape shape = {};
  Initializer initializer = "glorot_uniform";
  Regularizer regularizer = {};
  bool trainable = true;
  Setting<DType> dtype = {};
};

/// What a layer checks of its input before it is called: the rank, and the size of the last axis.
struct InputSpec {
  int rank = -1;  // -1: any
  int min_rank = 0;
  int64_t channels = kUnknown;
};

/// A layer's inside: what is written to make a new one. Override `call`, and `build` if it has
/// weights.
///   struct ScaleImpl : LayerImpl {
///     void build(const Shape& input) override { s = add_weight({.name = "s", .shape =
///     {input.back()}}); } Tensor call(const Tensor& x) override { return x * s; } Variable s;
///   };
///   using Scale = LayerOf<ScaleImpl>;
class LayerImpl : public std::enable_shared_from_this<LayerImpl> {
 public:
  explicit LayerImpl(const LayerOptions& options = {})
      : base_(options), policy_(options.dtype.value_or(mixed_precision::global_policy())) {}
  LayerImpl(const LayerImpl&) = delete;
  LayerImpl& operator=(const LayerImpl&) = delete;
  virtual ~LayerImpl() = default;

  // What a layer says of itself.
  virtual void build(const Shape&) {}
  virtual void build_all(const std::vector<Shape>& inputs);  // several inputs
  virtual Tensor call(const Tensor& x);
  virtual std::vector<Tensor> call_all(const std::vector<Tensor>& inputs);
  /// A new layer made from the same options, for `clone_model`.
  virtual std::shared_ptr<LayerImpl> copy() const;

  // What is done with it; users go through `Layer`.
  Tensor run(const Tensor& x, const CallOptions& options);
  std::vector<Tensor> run_all(const std::vector<Tensor>& inputs, const CallOptions& options);
  void ensure_built(const std::vector<Shape>& inputs);
  /// Gives the layer its class, and a name if it has none. Called once, by LayerOf.
  void set_class(const std::type_info& type);
  void set_class(const std::string& class_name);

  const std::string& name() const { return base_.name; }
  const std::string& class_name() const { return class_name_; }
  const LayerOptions& base() const { return base_; }
  bool built() const { return built_; }
  /// The shapes of the inputs that its weights were made for.
  const std::vector<Shape>& built_from() const { return built_from_; }
  /// The inputs and outputs of the call that was noted last (see `Input`), as symbolic tensors;
  /// none if there was none, or nothing is left that was made of it.
  std::vector<Tensor> noted_inputs() const;
  std::vector<Tensor> noted_outputs() const;
  /// What it computes in, and what its weights are kept in.
  const Policy& dtype_policy() const { return policy_; }
  /// To be said before the first call: what is there keeps its dtype.
  void set_dtype_policy(const Policy& policy) { policy_ = policy; }
  DType compute_dtype() const { return policy_.compute_dtype(); }
  DType variable_dtype() const { return policy_.variable_dtype(); }
  /// That of its weights, as in Keras.
  DType dtype() const { return variable_dtype(); }
  bool trainable() const { return base_.trainable; }
  void set_trainable(bool trainable);
  const std::vector<Layer>& sublayers() const { return sublayers_; }
  const std::vector<Variable>& own_weights() const { return weights_; }
  /// Weights with their places: "block/conv2d/kernel".
  std::vector<std::pair<std::string, Variable>> named_weights() const;
  std::vector<Variable> weights() const;
  std::vector<Tensor> losses() const;
  /// Forgets what was added in the last call, here and in all layers inside.
  void clear_losses();
  /// What decides, beside the inputs, which ops a call is made of: the layers inside, and which of
  /// them are frozen.
  struct State {
    uint64_t hash = 0;     // as long as the layers live, equal only if nothing of it has changed
    Device device = kCPU;  // where weights are, if not all are on the CPU
  };
  State state() const;

 protected:
  Variable add_weight(const WeightOptions& options);
  /// Makes the weights of other layers part of this one's.
  template <class... L>
  void track(const L&... layers) {
    (sublayers_.push_back(layers), ...);
  }
  void untrack_all() { sublayers_.clear(); }
  /// Takes one of them away again, if it is there.
  void untrack(const Layer& layer);
  /// Makes a variable that was not made by `add_weight` one of the layer's weights.
  void track_weight(const Variable& weight);
  /// Whether the call under way is part of training.
  bool training() const;
  /// Whether a call with this input only finds out what would come out (see `Input`): no state
  /// changes then.
  static bool is_only_described(const Tensor& x) { return x.is_symbolic() && !t_state.tracing(); }
  /// Adds a scalar to the loss of the step under way.
  void add_loss(const Tensor& loss);
  void set_input_spec(const InputSpec& spec) { input_spec_ = spec; }
  /// What is done to the inputs before a call; by default floating types are cast to
  /// `compute_dtype()`.
  virtual Tensor prepare(const Tensor& input) const;
  void set_built() { built_ = true; }
  /// Whether variables that are read in `call` are cast to `compute_dtype()` where that is not
  /// theirs. A layer that computes some of it in float32 does without.
  enum class Autocast : uint8_t { kYes, kNo };
  void set_autocast(Autocast autocast) { autocast_ = autocast; }

 private:
  void check_input(const Spec& x) const;
  std::vector<Tensor> note_call(const std::vector<Tensor>& given,
                                const std::vector<Tensor>& prepared, const CallOptions& options);
  void begin_call();
  void add_to(State& state) const;
  void collect_losses(uint64_t since, std::unordered_set<const LayerImpl*>& seen,
                      std::vector<Tensor>& losses) const;

  LayerOptions base_;
  Policy policy_;
  Autocast autocast_ = Autocast::kYes;
  std::string class_name_ = "Layer";
  bool built_ = false;
  std::vector<Shape> built_from_;
  InputSpec input_spec_;
  std::vector<Variable> weights_;  // those made as trainable first
  size_t trainable_count_ = 0;
  std::vector<std::pair<Variable, Regularizer>> penalties_;
  std::vector<Tensor> added_losses_;
  std::atomic<uint64_t> last_call_ = 0;  // the outermost call that it was last part of
  std::vector<Layer> sublayers_;
  std::weak_ptr<const Call> noted_;  // weak, for the call holds the layer
  std::vector<Spec> noted_specs_;    // of its outputs
};

/// The base of a layer that is made from an options struct, which has the fields of LayerOptions
/// among its own. `Impl` is the layer itself.
template <class Impl, class Options_>
class LayerWith : public LayerImpl {
 public:
  using Options = Options_;
  explicit LayerWith(const Options& options)
      : LayerImpl(LayerOptions{.input_shape = options.input_shape,
                               .name = options.name,
                               .trainable = options.trainable,
                               .dtype = options.dtype}),
        options(options) {}
  std::shared_ptr<LayerImpl> copy() const override {
    Options same = options;
    same.name = name();
    same.trainable = trainable();
    same.dtype = dtype_policy();
    auto layer = std::make_shared<Impl>(same);
    layer->set_class(typeid(Impl));
    return layer;
  }

  const Options options;
};

/// The handle of a layer class, made from what its constructor takes: `using Scale =
/// LayerOf<ScaleImpl>`. `->` reaches inside.
template <class Impl, class Base = Layer>
class LayerOf : public Base {
 public:
  LayerOf()
    requires std::default_initializable<Impl>
      : Base(make()) {}
  template <class... Arguments>
    requires(sizeof...(Arguments) > 0 && std::constructible_from<Impl, Arguments...> &&
             !(std::derived_from<std::remove_cvref_t<Arguments>, Layer> || ...))
  explicit LayerOf(Arguments&&... arguments) : Base(make(std::forward<Arguments>(arguments)...)) {}

  Impl* operator->() const { return static_cast<Impl*>(&this->impl()); }

 private:
  template <class... Arguments>
  static std::shared_ptr<Impl> make(Arguments&&... arguments) {
    auto impl = std::make_shared<Impl>(std::forward<Arguments>(arguments)...);
    impl->set_class(typeid(Impl));
    return impl;
  }
};

/// The handle of a layer class that is made from an options struct: `using Dense =
/// LayerOf<DenseImpl>`, called as `Dense({.units = 10})`.
template <class Impl, class Base>
  requires requires { typename Impl::Options; }
class LayerOf<Impl, Base> : public Base {
 public:
  using Options = typename Impl::Options;
  LayerOf(const Options& options = {}) : Base(make(options)) {}
  Impl* operator->() const { return static_cast<Impl*>(&this->impl()); }

 private:
  static std::shared_ptr<Impl> make(const Options& options) {
    auto impl = std::make_shared<Impl>(options);
    impl->set_class(typeid(Impl));
    return impl;
  }
};

/// How a symbolic tensor came about: a layer was called.
class LayerCall final : public Call {
 public:
  LayerCall(Layer layer, std::vector<Tensor> inputs, const CallOptions& options)
      : Call(std::move(inputs)), layer_(std::move(layer)), options_(options) {}
  Tensors run(std::span<const Tensor> values) const override;
  const Layer& layer() const { return layer_; }
  const CallOptions& options() const { return options_; }

 private:
  Layer layer_;
  CallOptions options_;
};

}  // namespace alula::keras
