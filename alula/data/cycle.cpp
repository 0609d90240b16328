#include "alula/data/cycle.h"

#include <algorithm>
#include <system_error>

#include "alula/data/host.h"
#include "alula/runtime/team.h"

namespace alula::data {
namespace {

/// With AUTOTUNE there are no more threads than the machine can run, but two that wait can help.
Tuner::Plan tuned(const Cycle::Plan& plan) {
  const auto cores = static_cast<int64_t>(std::thread::hardware_concurrency());
  const bool chooses = plan.readers == AUTOTUNE;
  return {.workers = chooses ? AUTOTUNE : std::min(plan.readers, plan.places),
          .most_workers = std::min(std::max<int64_t>(2, cores), plan.places),
          .buffer = chooses ? AUTOTUNE : plan.places * plan.ahead};
}

}  // namespace

Cycle::Cycle(const Plan& plan, const Context& context, Notes& notes)
    : plan_(plan),
      context_(context),
      tuner_(tuned(plan), context.budget, notes),
      outer_stop_(context.stop, [this] { stop_.request_stop(); }),
      places_(static_cast<size_t>(plan.places)) {}

Cycle::~Cycle() {
  stop_.request_stop();
  threads_.clear();  // waits for them
}

void Cycle::open(size_t i, std::unique_ptr<InnerWalk> inner, bool ended) {
  const Lock lock(mutex_);
  places_[i].inner = std::move(inner);
  places_[i].ended = ended;
  if (tuner_.uses_threads()) start_threads();
  room_.notify_one();
}

void Cycle::close(size_t i) {
  std::unique_ptr<InnerWalk> gone;  // after the lock
  const Lock lock(mutex_);
  gone = std::move(places_[i].inner);
}

bool Cycle::next(size_t i, Row& row) {
  Place& place = places_[i];
  if (threads_.empty() && !tuner_.uses_threads() && place.items.empty())
    return next_inline(place, row);
  const Clock::time_point begin = Clock::now();
  Lock lock(mutex_);
  turn_ = i;
  if (tuner_.uses_threads()) start_threads();
  const bool was_full = waiting_ >= tuner_.buffer();
  if (!wait_until(lock, [&] { return !place.items.empty() || place.ended; })) throw Cancelled();
  if (place.items.empty()) return false;
  const Item item = std::move(place.items.front());
  place.items.pop_front();
  --waiting_;
  const Clock::time_point now = Clock::now();
  if (!threads_.empty()) tuner_.took(now - begin, now, bytes_of(item.row), was_full);
  lock.unlock();
  room_.notify_one();
  if (item.error != nullptr) std::rethrow_exception(item.error);
  row = item.row;
  return true;
}

bool Cycle::next_inline(Place& place, Row& row) {
  if (place.ended) return false;
  if (plan_.readers == 0) return place.inner->next(row);
  const Clock::time_point begin = Clock::now();
  const bool more = place.inner->next(row);
  const Clock::time_point end = Clock::now();
  if (more) tuner_.made_inline(end - begin, begin - last_);
  last_ = end;
  return more;
}

bool Cycle::wait_until(Lock& lock, const std::function<bool()>& is_there) {
  return wait_for_element(done_, lock, context_.stop, is_there);
}

size_t Cycle::wait_for_any(size_t i, bool others) {
  if (threads_.empty()) return i;
  Lock lock(mutex_);
  size_t found = i;
  const auto is_there = [&] {
    for (size_t n = 0; n < places_.size(); ++n) {
      const Place& place = places_[found = (i + n) % places_.size()];
      if (place.inner == nullptr ? others : !place.items.empty() || place.ended) return true;
    }
    return false;
  };
  if (!wait_until(lock, is_there)) throw Cancelled();
  return found;
}

/// As many as the tuner wants, if there are fewer. Where the system gives no more, those that there
/// are do the work.
void Cycle::start_threads() {
  if (threads_.empty()) tuner_.begin();
  while (std::ssize(threads_) < tuner_.workers()) try {
      threads_.emplace_back([this] { read_until_stopped(); });
    } catch (const std::system_error& error) {
      require<ResourceExhaustedError>(!threads_.empty(), "data: no thread can be started: {}.",
                                      error.what());
      return;
    }
}

void Cycle::read_until_stopped() {
  const team::Alone alone;
  Lock lock(mutex_);
  for (Place* place = nullptr;;) {
    const auto has_work = [&] { return (place = find_work()) != nullptr; };
    if (!room_.wait(lock, stop_.get_token(), has_work) || stop_.stop_requested()) return;
    place->busy = true;
    ++working_;
    lock.unlock();
    Item item;
    bool more = true;
    try {
      more = place->inner->next(item.row);
    } catch (...) {
      item.error = std::current_exception();
    }
    lock.lock();
    place->busy = false;
    --working_;
    place->ended = !more;
    if (more) place->items.push_back(std::move(item));
    waiting_ += more ? 1 : 0;
    done_.notify_one();
    room_.notify_one();
  }
}

/// A data set to read an element of, unless enough threads do so.
Cycle::Place* Cycle::find_work() {
  if (working_ >= tuner_.workers()) return nullptr;
  const int64_t ahead = std::max<int64_t>(1, tuner_.buffer() / plan_.places);
  for (size_t n = 0; n < places_.size(); ++n) {
    Place& place = places_[(turn_ + n) % places_.size()];
    if (place.inner != nullptr && !place.busy && !place.ended && std::ssize(place.items) < ahead)
      return &place;
  }
  return nullptr;
}

void Cycle::save(size_t i, StateWriter& state) {
  Lock lock(mutex_);
  Place& place = places_[i];
  done_.wait(lock, [&] { return !place.busy; });
  state.tensors(place.inner->element());
  state.number(place.inner->index());
  state.number(place.ended ? 1 : 0);
  state.number(std::ssize(place.items));
  for (const Item& item : place.items) {
    check_may_be_saved(item.error);
    state.tensors(item.row);
  }
  place.inner->walk().save(state);
}

void Cycle::restore(size_t i, StateReader& state, std::unique_ptr<InnerWalk> inner,
                    const ElementSpec& spec) {
  const bool ended = state.number() != 0;
  std::deque<Item> items;
  for (int64_t left = state.count(); left > 0; --left) items.push_back({read_row(state, spec)});
  inner->walk().restore(state);
  {
    const Lock lock(mutex_);
    places_[i].items = std::move(items);
    waiting_ += std::ssize(places_[i].items);
  }
  open(i, std::move(inner), ended);
}

}  // namespace alula::data
