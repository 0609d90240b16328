#pragma once
#include <stop_token>

#include "alula/core/random.h"
#include "alula/data/budget.h"
#include "alula/data/element.h"
#include "alula/data/state.h"
#include "alula/data/tuner.h"

/// What a pipeline is made of. A Stage is one step of it, and knows the steps that it reads from; a
/// Walk is one pass through a stage's elements.
namespace alula::data {

inline constexpr int64_t kInfiniteCardinality = -1;
inline constexpr int64_t kUnknownCardinality = -2;

/// The tensors of an element, one after another; or of many elements, stacked.
using Row = std::vector<Tensor>;

/// What a walk is told by whoever starts it.
struct Context {
  /// Where random numbers come from. `seeded` says which walk it is: the first through the data,
  /// the second, …; `unseeded` is another one each time.
  random::ElementScope::Keys keys;
  /// How many elements the reader takes at a time.
  int64_t block = 1;
  /// Whether the reader goes on behind an element that failed. Then elements are taken one by one,
  /// so that an error costs no others.
  bool passes_over_errors = false;
  /// When the reader has gone, threads that wait give up.
  std::stop_token stop;
  std::shared_ptr<Budget> budget;

  /// For one of several walks within this one.
  Context nested(uint64_t which) const;
  /// For a step that takes so many at a time; 1 if errors are passed over.
  Context with_block(int64_t count) const;
  Context with_stop(std::stop_token token) const;
};

class Stage;
class Traced;
using StageRef = std::shared_ptr<const Stage>;

/// Thrown out of a walk whose reader has gone. Nobody gets to see it.
struct Cancelled {};

/// One pass through the elements of a stage. It is used by one thread at a time. After an error the
/// next call goes on behind the element that failed.
class Walk {
 public:
  explicit Walk(const Stage& stage);
  virtual ~Walk() = default;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  /// The next element; false at the end.
  virtual bool next(Row& row) = 0;
  /// The next `count` elements, stacked; fewer at the end, 0 if there is none. Those that fail are
  /// among them: then `error` is that of the first, unless it was set before, and the block is
  /// worth nothing. A step that can do better than one element after another overrides it.
  virtual int64_t next_block(int64_t count, Row& block, std::exception_ptr& error);
  /// The same for a reader to whom the block is one element: it throws the error.
  int64_t take_block(int64_t count, Row& block);
  /// Passes over elements; how many there were. Where they may fail, one at a time is asked for.
  virtual int64_t skip(int64_t count);
  /// Writes where it is, so that another walk of the same stage can go on from there.
  virtual void save(StateWriter& state) = 0;
  /// Of a walk that has not begun.
  virtual void restore(StateReader& state) = 0;

  const Stage& stage() const { return *stage_; }

 private:
  StageRef stage_;
};
using WalkRef = std::unique_ptr<Walk>;

/// Elements that can be had in any order.
class Indexed {
 public:
  virtual ~Indexed() = default;
  virtual int64_t count() const = 0;
  virtual void pick(std::span<const int64_t> indices, Row& block) const = 0;
  /// The elements stacked, if they are there as a whole; null if they are not.
  virtual const Row* columns() const { return nullptr; }
};

/// One step of a pipeline.
class Stage : public std::enable_shared_from_this<Stage> {
 public:
  Stage(std::string name, ElementSpec spec, std::vector<StageRef> inputs = {});
  virtual ~Stage() = default;

  /// "map"
  const std::string& name() const { return name_; }
  /// Its name and place, for errors: "map (step 2)".
  std::string title() const;
  const ElementSpec& spec() const { return spec_; }
  const std::vector<StageRef>& inputs() const { return inputs_; }
  const Stage& input(size_t i = 0) const { return *inputs_[i]; }
  /// The number of elements, kInfiniteCardinality or kUnknownCardinality.
  virtual int64_t cardinality() const = 0;
  virtual WalkRef walk(const Context& context) const = 0;
  /// What it was told, for `explain` and to tell pipelines apart: "(32)".
  virtual std::string parameters() const { return ""; }
  /// What there is to say beside its name: how it runs, if its reader takes so many elements.
  virtual std::string details(int64_t /*block*/) const { return parameters(); }
  /// How many elements it takes at a time from an input, if its reader takes so many.
  virtual int64_t input_block(int64_t /*block*/) const { return 1; }
  /// A context whose random numbers are for this step alone.
  Context own(const Context& context) const;
  /// If elements can be picked in any order.
  virtual const Indexed* indexed() const { return nullptr; }
  /// The same step on another input, for a step that only chooses, orders or groups elements,
  /// whatever they are; null for others.
  virtual StageRef onto(const StageRef& /*input*/) const { return nullptr; }
  /// The function that it applies to each element, if it does nothing else.
  virtual std::shared_ptr<const Traced> mapping() const { return nullptr; }
  /// The same step for a reader that computes on a device, if it is for bringing elements there in
  /// time; null for others.
  virtual StageRef for_reader_on(const Device& /*device*/) const { return nullptr; }
  /// Why it must run on the host, if it has neither.
  virtual std::string why_on_host() const { return "it looks at elements"; }

  /// Where it runs if not in the pipeline itself, for `explain`: "in the step on /GPU:0".
  std::string place() const { return place_->get(); }
  void set_place(std::string text) const { place_->set(std::move(text)); }

 protected:
  /// For `onto`: a copy of a step gets another input.
  void put_onto(const StageRef& input, ElementSpec spec) {
    inputs_ = {input};
    spec_ = std::move(spec);
  }

 private:
  std::string name_;
  ElementSpec spec_;
  std::vector<StageRef> inputs_;
  int step_ = 1;
  std::shared_ptr<Notes> place_ = std::make_shared<Notes>();  // shared with copies
};

/// A step with one input whose elements have the same spec.
class SameSpecStage : public Stage {
 public:
  SameSpecStage(std::string name, const StageRef& input)
      : Stage(std::move(name), input->spec(), {input}) {}
};

/// The pipeline that ends with this step, a line a step, the source first. `block`: how many
/// elements are taken at a time.
std::string explain(const Stage& last, int64_t block = 1);

/// The steps' names and what they give: what a saved state is recognised by.
std::string signature(const Stage& last);

/// Whether all of an element's tensors have known shapes, and so can be stacked without a look.
bool has_known_shapes(const ElementSpec& spec);
/// The bytes of an element, as far as they are known.
int64_t bytes_of(const Row& row);
int64_t bytes_of(const ElementSpec& spec);

/// Stacks elements. The first one decides what shapes are asked of the others.
class Stack {
 public:
  /// `who` speaks in errors. `first`: the number of the first element, if it is known.
  Stack(const Stage& who, int64_t capacity, int64_t first = kUnknown)
      : who_(who), capacity_(capacity), first_(first) {}
  void add(const Row& row);
  /// The elements [first, last) of a block.
  void add(const Row& block, int64_t first, int64_t last);
  int64_t size() const { return size_; }
  /// What has been added: as many rows as that was.
  Row take();

 private:
  void begin(const Row& like, bool is_block);
  void make_room(int64_t more);
  const Stage& who_;
  int64_t capacity_;
  int64_t first_;
  int64_t size_ = 0;
  int64_t room_ = 0;  // rows that the columns have: all at once if they are not too large
  Row columns_;
};

/// The element `i` of a block, copied: it may be kept for long, and the block is let go of.
Row row_of(const Row& block, int64_t i);
/// The elements [begin, end) of a block.
Row rows_of(const Row& block, int64_t begin, int64_t end);

/// Reads what `StateWriter::tensors` wrote of an element; DataLossError unless it fits the spec.
Row read_row(StateReader& state, const ElementSpec& spec);
/// The same of stacked elements: `count` is how many. None at all are no tensors.
Row read_block(StateReader& state, const ElementSpec& spec, int64_t& count);

/// FailedPreconditionError if what waits for its reader has failed: of an error nothing is saved.
void check_may_be_saved(const std::exception_ptr& error);

/// Throws the exception being handled anew, of the same class, with `where` in front of its text.
[[noreturn]] void rethrow_from(const std::string& where);

}  // namespace alula::data
