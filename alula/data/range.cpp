#include <limits>

#include "alula/data/dataset.h"
#include "alula/data/position.h"

namespace alula::data {
namespace {

struct Numbers {
  int64_t start, step, count;
  int64_t operator[](int64_t i) const { return start + i * step; }
};

class RangeWalk final : public PositionWalk {
 public:
  RangeWalk(const Stage& stage, const Numbers& numbers)
      : PositionWalk(stage, numbers.count), numbers_(numbers) {}

  bool next(Row& row) override {
    if (at_.left() == 0) return false;
    row.assign(1, Tensor(numbers_[at_.take(1)]));
    return true;
  }
  int64_t next_block(int64_t count, Row& block, std::exception_ptr&) override {
    const int64_t given = std::min(count, at_.left()), begin = at_.take(given);
    Tensor column = Tensor::uninitialized({int64, {given}});
    auto* to = static_cast<int64_t*>(column.mutable_data());
    for (int64_t i = 0; i < given; ++i) to[i] = numbers_[begin + i];
    block.assign(1, column);
    return given;
  }

 private:
  Numbers numbers_;
};

class Range final : public Stage, public Indexed {
 public:
  explicit Range(const Numbers& numbers) : Stage("range", {{}, {{int64, {}}}}), numbers_(numbers) {}
  int64_t cardinality() const override { return numbers_.count; }
  WalkRef walk(const Context&) const override {
    return std::make_unique<RangeWalk>(*this, numbers_);
  }
  std::string parameters() const override {
    return fmt::format(": {} numbers from {}", numbers_.count, numbers_.start);
  }
  const Indexed* indexed() const override { return this; }
  int64_t count() const override { return numbers_.count; }
  void pick(std::span<const int64_t> indices, Row& block) const override {
    Tensor column = Tensor::uninitialized({int64, {static_cast<int64_t>(indices.size())}});
    auto* to = static_cast<int64_t*>(column.mutable_data());
    for (const int64_t i : indices) *to++ = numbers_[i];
    block.assign(1, column);
  }

 private:
  Numbers numbers_;
};

}  // namespace

Dataset Dataset::range(int64_t stop) { return range(0, stop); }

Dataset Dataset::range(int64_t start, int64_t stop, int64_t step) {
  require(step != 0, "range: the step must not be 0.");
  const auto distance = static_cast<__int128>(stop) - start;
  const __int128 count = step > 0 ? (distance + step - 1) / step : (distance + step + 1) / step;
  require(count <= std::numeric_limits<int64_t>::max(), "range: there are too many numbers.");
  return Dataset(std::make_shared<Range>(
      Numbers{start, step, std::max<int64_t>(0, static_cast<int64_t>(count))}));
}

}  // namespace alula::data
