#include "alula/keras/mixed_precision.h"

#include <atomic>

#include "alula/core/error.h"

namespace alula::keras {
namespace {

constexpr const char* kMixed = "mixed_";
constinit std::atomic<Policy> g_policy = Policy(float32);

}  // namespace

Policy::Policy(const std::string& name) : Policy(float32) {
  if (name == "mixed_float16" || name == "mixed_bfloat16") {
    compute_ = name == "mixed_float16" ? float16 : bfloat16;
    return;
  }
  try {
    compute_ = variable_ = dtype_from(name);
  } catch (const InvalidArgumentError&) {
    fail(
        "Policy: it is \"mixed_float16\", \"mixed_bfloat16\" or the name of a dtype, such as "
        "\"float32\". Got \"{}\".",
        name);
  }
}

std::string Policy::name() const {
  return fmt::format("{}{}", is_mixed() ? kMixed : "", name_of(compute_));
}

namespace mixed_precision {

void set_global_policy(const Policy& policy) {
  require(is_floating(policy.compute_dtype()),
          "set_global_policy: layers compute in floating types. Got \"{}\".", policy.name());
  g_policy.store(policy, std::memory_order_relaxed);
}

Policy global_policy() { return g_policy.load(std::memory_order_relaxed); }

}  // namespace mixed_precision
}  // namespace alula::keras
