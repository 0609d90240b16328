#include <deque>
#include <limits>

#include "alula/data/dataset.h"
#include "alula/data/one_input.h"

namespace alula::data {
namespace {

struct Windows {
  int64_t size, shift, stride;
  bool drop_remainder;

  /// How many elements a whole window spans.
  int64_t span() const { return (size - 1) * stride + 1; }
  /// Whether elements of a window lie together, and are in no other one: then windows are blocks.
  bool are_blocks() const { return stride == 1 && shift >= size; }
};

/// Passes over elements between windows, one by one, as they may fail; false at the end.
bool pass_over(int64_t& gap, Walk& input) {
  while (gap > 0) {
    --gap;
    if (input.skip(1) == 0) return false;
  }
  return true;
}

/// Windows that overlap, or leave elements out: elements wait for as long as a window needs them.
/// One that fails is as if it were not there, except between windows, where it is counted.
class WindowWalk final : public InputWalk {
 public:
  WindowWalk(const Stage& stage, WalkRef input, const Windows& windows)
      : InputWalk(stage, std::move(input)), windows_(windows) {}

  bool next(Row& window) override {
    if (!pass_over(gap_, *input_)) return false;
    for (Row row; std::ssize(rows_) < windows_.span() && input_->next(row);)
      rows_.push_back(std::move(row));
    if (rows_.empty() || (windows_.drop_remainder && std::ssize(rows_) < windows_.span()))
      return false;
    Stack stack(stage(), (std::ssize(rows_) - 1) / windows_.stride + 1);
    for (int64_t i = 0; i < std::ssize(rows_); i += windows_.stride)
      stack.add(rows_[static_cast<size_t>(i)]);
    window = stack.take();
    const int64_t gone = std::min(windows_.shift, std::ssize(rows_));
    rows_.erase(rows_.begin(), rows_.begin() + gone);
    gap_ = windows_.shift - gone;
    return true;
  }

 private:
  void save_own(StateWriter& state) override {
    state.number(gap_);
    state.number(std::ssize(rows_));
    for (const Row& row : rows_) state.tensors(row);
  }
  void restore_own(StateReader& state) override {
    gap_ = state.count();
    rows_.clear();
    for (int64_t i = state.count(); i > 0; --i)
      rows_.push_back(read_row(state, stage().input().spec()));
  }

  Windows windows_;
  std::deque<Row> rows_;
  int64_t gap_ = 0;  // elements to pass over before the next window
};

/// If an element fails, so does the window that it belongs to; the others are what they are.
class BlockWindowWalk final : public InputWalk {
 public:
  BlockWindowWalk(const Stage& stage, WalkRef input, const Windows& windows)
      : InputWalk(stage, std::move(input)), windows_(windows) {}

  bool next(Row& window) override {
    if (!pass_over(gap_, *input_)) return false;
    gap_ = windows_.shift - windows_.size;
    const int64_t count = input_->take_block(windows_.size, window);
    return count == windows_.size || (count > 0 && !windows_.drop_remainder);
  }

 private:
  void save_own(StateWriter& state) override { state.number(gap_); }
  void restore_own(StateReader& state) override { gap_ = state.count(); }

  Windows windows_;
  int64_t gap_ = 0;  // elements to pass over before the next window
};

void make_windows(Structure& structure) {
  if (structure.is_leaf()) structure.kind = Structure::Kind::kWindow;
  for (Structure& item : structure.items) make_windows(item);
}

ElementSpec windowed(ElementSpec spec, const Windows& windows) {
  make_windows(spec.structure);
  for (Spec& each : spec.specs)
    each.shape = Shape{windows.drop_remainder ? windows.size : kUnknown} + each.shape;
  return spec;
}

class Windowed final : public Stage {
 public:
  Windowed(const StageRef& input, const Windows& windows)
      : Stage("window", windowed(input->spec(), windows), {input}), windows_(windows) {}

  int64_t cardinality() const override {
    const int64_t count = input().cardinality();
    if (count <= 0) return count;
    if (!windows_.drop_remainder) return (count - 1) / windows_.shift + 1;
    return count < windows_.span() ? 0 : (count - windows_.span()) / windows_.shift + 1;
  }
  WalkRef walk(const Context& context) const override {
    WalkRef walk = input().walk(context.with_block(input_block(1)));
    if (windows_.are_blocks())
      return std::make_unique<BlockWindowWalk>(*this, std::move(walk), windows_);
    return std::make_unique<WindowWalk>(*this, std::move(walk), windows_);
  }
  std::string parameters() const override {
    const int64_t size = windows_.size, shift = windows_.shift, stride = windows_.stride;
    return shift == size && stride == 1
               ? fmt::format("({})", size)
               : fmt::format("({}, shift = {}, stride = {})", size, shift, stride);
  }
  int64_t input_block(int64_t) const override { return windows_.are_blocks() ? windows_.size : 1; }

 private:
  Windows windows_;
};

bool has_windows(const Structure& structure) {
  return structure.kind == Structure::Kind::kWindow ||
         std::any_of(structure.items.begin(), structure.items.end(), has_windows);
}

}  // namespace

Dataset Dataset::window(int64_t size, const WindowOptions& options) const {
  require(size > 0, "window: the size must be positive. Got {}.", size);
  require(options.shift >= 0, "window: shift must be positive, or 0 for the size. Got {}.",
          options.shift);
  require(options.stride > 0, "window: stride must be positive. Got {}.", options.stride);
  require(size <= std::numeric_limits<int64_t>::max() / options.stride,
          "window: size times stride is too large. Got {} and {}.", size, options.stride);
  require(!has_windows(element_spec().structure),
          "window: the elements are windows already. Got {}. Use flat_map on them first.",
          element_spec());
  const Windows windows{size, options.shift == 0 ? size : options.shift, options.stride,
                        options.drop_remainder};
  return then(std::make_shared<Windowed>(stage_, windows));
}

}  // namespace alula::data
