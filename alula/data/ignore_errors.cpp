#include <atomic>

#include "alula/core/log.h"
#include "alula/data/dataset.h"
#include "alula/data/host.h"
#include "alula/data/one_input.h"

namespace alula::data {
namespace {

/// What all walks have left out.
class LeftOut {
 public:
  void add(const Stage& who, const std::string& error) {
    if (count_.fetch_add(1) == 0)
      logging::warn(
          "{}: an element failed and is left out, as others will be without a word (explain() "
          "counts them): {}",
          who.title(), error);
  }
  int64_t count() const { return count_; }

 private:
  std::atomic<int64_t> count_ = 0;
};

class IgnoreErrorsWalk final : public InputWalk {
 public:
  IgnoreErrorsWalk(const Stage& stage, WalkRef input, LeftOut& left_out)
      : InputWalk(stage, std::move(input)), left_out_(left_out) {}

  bool next(Row& row) override {
    for (;;) {
      try {
        return input_->next(row);
      } catch (const ResourceExhaustedError&) {
        throw;  // no fault of an element: it would come again for ever
      } catch (const FailedPreconditionError&) {
        throw;
      } catch (const Error& error) {
        left_out_.add(stage(), error.what());
      } catch (const std::exception& error) {
        const HostErrors* host = host_errors();
        if (host == nullptr || !host->is_one(error) || host->asks_to_stop(error)) throw;
        left_out_.add(stage(), error.what());
      }
    }
  }

 private:
  LeftOut& left_out_;
};

class IgnoresErrors final : public SameSpecStage {
 public:
  explicit IgnoresErrors(const StageRef& input) : SameSpecStage("ignore_errors", input) {}

  int64_t cardinality() const override {
    const int64_t count = input().cardinality();
    return count == 0 ? 0 : kUnknownCardinality;
  }
  WalkRef walk(const Context& context) const override {
    Context inner = context.with_block(1);
    inner.passes_over_errors = true;
    return std::make_unique<IgnoreErrorsWalk>(*this, input().walk(inner), left_out_);
  }
  std::string details(int64_t) const override {
    return left_out_.count() == 0 ? "" : fmt::format(": {} left out so far", left_out_.count());
  }

 private:
  mutable LeftOut left_out_;
};

}  // namespace

Dataset Dataset::ignore_errors() const { return then(std::make_shared<IgnoresErrors>(stage_)); }

}  // namespace alula::data
