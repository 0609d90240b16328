#include "alula/data/dataset.h"

#include "alula/data/kept_on_device.h"
#include "alula/runtime/dispatch.h"

namespace alula::data {

/// Walks are numbered, so that seeded steps do something else in each.
struct Dataset::Run {
  Options options;
  std::atomic<uint64_t> walks = 0;
  KeptOnDevice kept;
};

Dataset::Dataset(StageRef stage) : Dataset(std::move(stage), std::make_shared<Run>()) {}
Dataset::Dataset(StageRef stage, std::shared_ptr<Run> run)
    : stage_(std::move(stage)), run_(std::move(run)) {}

Dataset Dataset::then(StageRef stage) const {
  return Dataset(std::move(stage)).with_options(run_->options);
}

Dataset Dataset::with_options(const Options& options) const {
  require(options.autotune_memory >= 0, "with_options: memory cannot be negative. Got {}.",
          options.autotune_memory);
  auto run = std::make_shared<Run>();
  run->options = options;
  return {stage_, std::move(run)};
}

Iterator Dataset::iterator() const {
  const Options& options = run_->options;
  Context context;
  const uint64_t walk = run_->walks.fetch_add(1);
  context.keys = {random::new_key("dataset"), random::mix(0, walk)};
  context.budget = std::make_shared<Budget>(options.autotune_memory > 0 ? options.autotune_memory
                                                                        : Budget::default_limit());
  // In the scope of another device, what is read ahead is read ahead to there, or is there already.
  StageRef stage;
  if (const ThreadState& state = t_state; (state.flags & ThreadState::kDeviceScope) != 0) {
    stage = stage_->for_reader_on(state.device);
    if (stage != nullptr && !state.device.is_cpu())
      if (StageRef kept = run_->kept.reader_of(*this, state.device, walk == 0)) stage = kept;
  }
  if (stage == nullptr) stage = stage_;
  return {std::move(stage), std::move(context)};
}

Iterator Dataset::begin() const {
  Iterator iterator = this->iterator();
  ++iterator;
  return iterator;
}

Dataset Element::dataset() const {
  require(structure().kind == Structure::Kind::kWindow,
          "element: it is no data set. Got {}. Those of `window` are.", spec());
  return Dataset::from_tensor_slices(tensors()[0]);
}

Iterator::Iterator(StageRef stage, Context context)
    : stage_(std::move(stage)), context_(std::move(context)), walk_(walk(context_)) {}

WalkRef Iterator::walk(const Context& context) const {
  return stage_->walk(context.with_stop(stop_.get_token()));
}

bool Iterator::next(Element& element) {
  Row row;
  if (!walk_->next(row)) return false;
  element = Element(stage_->spec().structure, std::move(row));
  return true;
}

std::string Iterator::save() const {
  StateWriter state;
  state.number(static_cast<int64_t>(context_.keys.unseeded));
  state.number(static_cast<int64_t>(context_.keys.seeded));
  walk_->save(state);
  return sealed(signature(*stage_), state.bytes());
}

void Iterator::restore(std::string_view state) {
  const std::string pipeline = signature(*stage_);
  StateReader reader(unsealed(pipeline, state));
  Context context = context_;
  context.keys.unseeded = static_cast<uint64_t>(reader.number());
  context.keys.seeded = static_cast<uint64_t>(reader.number());
  WalkRef walk = this->walk(context);
  walk->restore(reader);
  require<DataLossError>(reader.done(), "iterator: the saved state is longer than it should be.");
  context_ = std::move(context);
  walk_ = std::move(walk);
  ended_ = false;
}

}  // namespace alula::data
