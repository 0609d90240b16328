#include "alula/graph/control/cond.h"
#include "alula/graph/control/map_fn.h"
#include "alula/graph/control/scan.h"
#include "alula/graph/control/while_loop.h"
#include "alula/graph/fuzz_test.h"

/// Control flow around steps that the fuzzer makes up.
namespace alula::graph::fuzz {
namespace {

using Values = std::vector<Tensor>;

constexpr int kDeepest = 2;

bool is_float(const Tensor& x) { return x.dtype() == float32 || x.dtype() == float64; }

/// The last value of some steps on an own value and one from around.
Tensor last_of(const std::vector<Run>& steps, const Tensor& own, const Tensor& other) {
  Values local = {own, other};
  for (const Run& step : steps)
    for (const Tensor& result : step(local)) local.push_back(result);
  return local.back();
}

/// What is known only when a program runs, but always the same: values are smaller.
Tensor predicate(const Tensor& x, bool value) { return reduce_max(x) < (value ? 1000 : -1000); }

/// Something like `own` that depends on `result`.
Tensor mixed(const Tensor& own, const Tensor& result) {
  return own * 0.5 + reduce_mean(cast(result, own.dtype())) * 0.25;
}

}  // namespace

void Maker::control() {
  enum Form : int64_t { kCond, kWhile, kMap, kScan, kForms };
  if (control_depth_ == kDeepest) return;
  const int64_t form = dice_.below(kForms);
  const bool by_rows = form == kMap || form == kScan;
  const int64_t at = pick(
      [&](const Tensor& x) { return is_float(x) && x.size() > 0 && (!by_rows || x.rank() > 0); });
  if (at < 0) return;
  const DType dtype = known_[static_cast<size_t>(at)].value.dtype();
  const int64_t beside = pick([&](const Tensor& x) { return x.dtype() == dtype; });
  const auto i = static_cast<size_t>(at), j = static_cast<size_t>(beside);
  const std::vector<Known> before = known_;
  const std::vector<Run> steps_before = std::exchange(program_.steps, {});
  const Tensor& value = before[i].value;
  known_ = {by_rows ? Known{unstack(value)[0], before[i].exact} : before[i], before[j]};
  ++control_depth_;
  for (int64_t count = dice_.between(1, 3); count > 0; --count) smooth_step();
  --control_depth_;
  const std::vector<Run> inner = std::exchange(program_.steps, steps_before);
  const Spec result = known_.back().value.spec();
  known_ = before;
  const int64_t count = dice_.below(4);
  const bool flag = dice_.chance(0.5);
  take({i, j}, [=](const Values& v) -> Values {
    const auto body = [&](const Tensor& own) { return last_of(inner, own, v[j]); };
    if (form == kCond)
      return {cond(
          predicate(v[i], flag), [&] { return body(v[i]); },
          [&] { return zeros(result.shape, result.dtype); })};
    if (form == kWhile)
      return {
          while_loop([&](const Values& in) { return in[0] < static_cast<int>(count); },
                     [&](const Values& in) { return Values{in[0] + 1, mixed(in[1], body(in[1]))}; },
                     {Tensor(0), v[i]})[1]};
    if (form == kMap) return {map_fn(body, v[i])};
    return {scan([&](const Tensor& a, const Tensor& x) { return mixed(a, body(x)) + x; }, v[i], {},
                 {.reverse = flag})};
  });
}

}  // namespace alula::graph::fuzz
