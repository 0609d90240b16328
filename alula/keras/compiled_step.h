#pragma once
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "alula/graph/function.h"
#include "alula/keras/layer.h"
#include "alula/keras/resident_data.h"

namespace alula::keras {

/// What a model does with one batch, traced once for each kind of batch and then run compiled. If
/// it cannot be traced, because it looks at values, it runs eagerly, and a warning says why.
///
/// A kind of batch: how many tensors there are, their dtypes and shapes; and which layers there
/// are, and which of them are frozen. So what is changed in a model between two steps takes effect
/// at the next one. Several threads may call it.
class CompiledStep {
 public:
  using Function = std::function<std::vector<Tensor>(const Batch&)>;
  enum class Mode : uint8_t { kCompiled, kEager };

  /// `what` is who speaks in warnings: "the training step". The model must outlive the step.
  CompiledStep(LayerImpl& model, std::string what, Function function, Mode mode);
  Tensors operator()(const Batch& batch);
  /// Runs a step for each of several batches, all of one size, which it picks where the data are.
  /// Returns what the last one gives; `firsts` gets the first result of each, as OnDevice::run has
  /// it. What cannot be compiled is a FailedPreconditionError or an UnimplementedError, and nothing
  /// has been done.
  Tensors run_resident(const ResidentData& data, std::span<const data::Picks> picks,
                       std::vector<Tensor>* firsts = nullptr);
  /// How often it was traced.
  size_t trace_count() const;
  bool is_compiled() const { return mode_.load(std::memory_order_relaxed) == Mode::kCompiled; }

 private:
  /// The traces of batches with as many tensors, for a model in one state.
  struct Variant {
    size_t x = 0, y = 0, sample_weight = 0;
    uint64_t state = 0;
    Device home;                // of the weights, when it was made: it stays there
    std::vector<Layer> layers;  // kept, so that no other layer gets the address of one
    std::unique_ptr<graph::Traces> traces;
    bool fits(const Batch& batch) const;
  };
  /// A step that picks its batch from data on a device.
  struct Resident {
    std::vector<Spec> signature;  // of the data
    data::LateMaps maps;
    Parts parts;
    Device device;
    int64_t batch_size = 0;
    uint64_t state = 0;
    std::vector<Layer> layers;
    std::shared_ptr<std::deque<Tensor>> positions;  // of the batches to come
    data::LateDraws draws;                          // of the maps, for the same batches
    std::unique_ptr<graph::Compiled> compiled;
    Resident(const ResidentData& data, int64_t batch_size);
    bool is_like(const Resident& other) const;
    Batch batch_at(const Tensor& picked, const std::vector<Tensor>& data) const;
  };

  bool can_compile(const Batch& batch) const;
  Tensors run_eagerly(const Batch& batch) const;
  Tensors run_compiled(const Batch& batch);
  Variant& find(const Batch& batch, TensorRefs inputs, const LayerImpl::State& state);
  std::unique_ptr<Variant> make_variant(const Batch& batch) const;
  Resident& find_resident(const ResidentData& data, int64_t batch_size);
  std::vector<Tensor> pick_and_run(const Resident& step, const std::vector<Tensor>& data) const;
  void build_for(const Resident& step);
  Tensors run_instead(const Batch& batch, const std::string& reason);
  std::string speaker() const;

  LayerImpl& model_;
  std::string what_;
  Function function_;
  std::atomic<Mode> mode_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Variant>> variants_;
  std::vector<std::unique_ptr<Resident>> residents_;
};

}  // namespace alula::keras
