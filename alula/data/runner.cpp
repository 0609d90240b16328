#include "alula/data/runner.h"

#include <algorithm>
#include <system_error>

#include "alula/data/host.h"
#include "alula/runtime/team.h"

namespace alula::data {

Runner::Runner(const Tuner::Plan& plan, const Context& context, Notes& notes)
    : context_(context),
      tuner_(plan, context.budget, notes),
      outer_stop_(context.stop, [this] { stop_.request_stop(); }) {}

void Runner::begin(Pull pull, Work work) {
  pull_ = std::move(pull);
  work_ = std::move(work);
}

Runner::~Runner() {
  stop_.request_stop();
  threads_.clear();  // waits for them
}

bool Runner::next(Item& item) {
  return threads_.empty() && items_.empty() && !tuner_.uses_threads() ? next_inline(item)
                                                                      : next_from_threads(item);
}

bool Runner::next_inline(Item& item) {
  const Clock::time_point begin = Clock::now();
  item = {};
  if (!pull_(item)) return false;
  if (work_) work_(item);
  const Clock::time_point end = Clock::now();
  tuner_.made_inline(end - begin, begin - last_);
  last_ = end;
  return true;
}

bool Runner::next_from_threads(Item& item) {
  const Clock::time_point begin = Clock::now();
  Lock lock(mutex_);
  begin_threads();
  const bool was_full = claimed_ >= tuner_.buffer();
  const auto is_there = [this] { return find_ready() != items_.end() || at_end(); };
  if (!wait_for_element(done_, lock, context_.stop, is_there)) throw Cancelled();
  if (at_end()) return false;
  start_threads();
  const Place place = find_ready();
  item = std::move(*place);
  items_.erase(place);
  --claimed_;
  const Clock::time_point now = Clock::now();
  tuner_.took(now - begin, now, item.bytes, was_full);
  lock.unlock();
  room_.notify_one();
  if (item.error != nullptr) std::rethrow_exception(item.error);
  return true;
}

Runner::Place Runner::find_ready() {
  if (tuner_.plan().deterministic)
    return !items_.empty() && items_.front().ready ? items_.begin() : items_.end();
  return std::find_if(items_.begin(), items_.end(), [](const Item& item) { return item.ready; });
}

void Runner::start() {
  const Lock lock(mutex_);
  if (tuner_.uses_threads()) begin_threads();
}

void Runner::begin_threads() {
  if (!threads_.empty()) return;
  tuner_.begin();
  start_threads();
}

/// As many as the tuner wants, if there are fewer. Where the system gives no more, those that there
/// are do the work.
void Runner::start_threads() {
  while (!ended_ && static_cast<int64_t>(threads_.size()) < tuner_.workers()) try {
      threads_.emplace_back([this] { work_until_stopped(); });
    } catch (const std::system_error& error) {
      require<ResourceExhaustedError>(!threads_.empty(), "data: no thread can be started: {}.",
                                      error.what());
      return;
    }
}

void Runner::work_until_stopped() {
  const team::Alone alone;
  while (claim()) {
    Place mine;
    const bool pulled = pull(mine);
    if (pulled && mine->error == nullptr) make(*mine);
    {
      const Lock lock(mutex_);
      --working_;
      if (pulled) mine->ready = true;
    }
    done_.notify_one();
    room_.notify_one();
  }
}

/// Waits until there is room for an item; false if there is nothing more to do.
bool Runner::claim() {
  Lock lock(mutex_);
  const auto may_go_on = [this] {
    return ended_ || (working_ < tuner_.workers() && claimed_ < tuner_.buffer());
  };
  if (!room_.wait(lock, stop_.get_token(), may_go_on) || ended_) return false;
  ++working_;
  ++claimed_;
  return true;
}

bool Runner::pull(Place& mine) {
  const Lock pulling(pulling_);
  Item item;
  bool more = !stop_.stop_requested();
  {
    const Lock lock(mutex_);
    more = more && !ended_;
  }
  try {
    more = more && pull_(item);
  } catch (...) {
    item.error = std::current_exception();
  }
  const Lock lock(mutex_);
  if (!more) {
    ended_ = true;
    --claimed_;
    room_.notify_all();
    return false;
  }
  mine = items_.insert(items_.end(), std::move(item));
  return true;
}

void Runner::make(Item& item) const {
  try {
    if (work_) work_(item);
    item.bytes = bytes_of(item.row);
  } catch (...) {
    item.error = std::current_exception();
    item.row.clear();
  }
}

void Runner::save(StateWriter& state, const std::function<void()>& save_input) {
  const Lock pulling(pulling_);
  Lock lock(mutex_);
  const auto is_ready = [](const Item& item) { return item.ready; };
  done_.wait(lock, [&] { return std::all_of(items_.begin(), items_.end(), is_ready); });
  state.number(static_cast<int64_t>(items_.size()));
  for (const Item& item : items_) {
    check_may_be_saved(item.error);
    state.number(item.first);
    state.number(item.count == 0 ? 0 : 1);
    state.tensors(item.row);
  }
  save_input();
}

void Runner::restore(StateReader& state, const ElementSpec& spec,
                     const std::function<void()>& restore_input) {
  items_.clear();
  for (int64_t i = state.count(); i > 0; --i) {
    Item item;
    item.first = state.count();
    const bool single = state.number() == 0;
    item.row = single ? read_row(state, spec) : read_block(state, spec, item.count);
    item.bytes = bytes_of(item.row);
    item.ready = true;
    items_.push_back(std::move(item));
  }
  claimed_ = static_cast<int64_t>(items_.size());
  restore_input();
}

}  // namespace alula::data
