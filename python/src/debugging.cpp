#include "python/src/dtype.h"
#include "python/src/module.h"
#include "python/src/ops.h"

// Checks of tensors: at once where their values are there, else whenever the function that is being
// traced runs.
namespace alula::python {
namespace {

constexpr int64_t kShown = 3;  // elements of a tensor in a message, unless `summarize` says more

std::string values_of(const Tensor& tensor, int64_t count) {
  const int64_t shown = count < 0 ? tensor.size() : std::min(tensor.size(), count);
  const Tensor flat = slice(reshape(tensor, {-1}), {0}, {shown});
  std::string text = flat.str();
  if (shown < tensor.size()) text += " …";
  return text;
}

/// What a check needs to say what is wrong.
struct Check {
  std::string who;
  std::string rule;     // "x == y did not hold element-wise"
  std::string message;  // the user's own
  int64_t summarize = kShown;

  /// `values`: the condition, and what is shown.
  void operator()(const std::vector<Tensor>& values) const {
    const Tensor all = values[0].rank() == 0 ? values[0] : reduce_all(values[0]);
    if (all.item<bool>()) return;
    std::string text = fmt::format("{}: {}.", who, rule);
    if (!message.empty()) text = message + " " + text;
    for (size_t i = 1; i < values.size(); ++i)
      text += fmt::format("{} = {} {}", i == 1 ? " Got x" : ", y", values[i].spec(),
                          values_of(values[i], summarize));
    fail<InvalidArgumentError>("{}", text);
  }
};

bool has_values(const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors)
    if (tensor.is_symbolic()) return false;
  return true;
}

/// Nothing (None) if the check has been made; else a tensor that makes it when it is run.
nb::object checked(Check check, std::vector<Tensor> values) {
  if (has_values(values)) {
    check(values);
    return nb::none();
  }
  const auto later = [check = std::move(check)](const std::vector<Tensor>& in) {
    check(in);
    return std::vector<Tensor>{Tensor(0)};  // stands for the check in a session's graph
  };
  return wrap(host_function(later, values, {{int32, {}}})[0]);
}

std::string text_of(nb::handle message) {
  return message.is_none() ? std::string() : std::string(nb::str(message).c_str());
}

Check make_check(const char* who, std::string rule, nb::handle message, nb::handle summarize) {
  return {.who = who,
          .rule = std::move(rule),
          .message = text_of(message),
          .summarize = summarize.is_none() ? kShown : nb::cast<int64_t>(summarize)};
}

/// assert_equal and its like: a comparison of two tensors.
void def_comparison(nb::module_& m, const char* name, const Elementwise& compare,
                    const char* symbol) {
  const std::string rule = fmt::format("x {} y did not hold for every element", symbol);
  m.def(
      name,
      [name, &compare, rule](Like x, Like y, nb::handle message, nb::handle summarize, nb::handle) {
        const Pair pair(x, y);
        return checked(make_check(name, rule, message, summarize),
                       {reduce_all(compare(pair.a, pair.b)), pair.a, pair.b});
      },
      "x"_a, "y"_a, "message"_a = nb::none(), "summarize"_a = nb::none(), name_argument(),
      "Raises an InvalidArgumentError unless it holds for every pair of elements. While a function "
      "is traced, a check for each of its runs.");
}

/// assert_positive and its like: a comparison with zero.
void def_sign(nb::module_& m, const char* name, const Elementwise& compare, const char* symbol) {
  const std::string rule = fmt::format("x {} 0 did not hold for every element", symbol);
  m.def(
      name,
      [name, &compare, rule](Like x, nb::handle message, nb::handle summarize, nb::handle) {
        const Tensor tensor = x.tensor();
        const Tensor zero(Number(0), tensor.dtype());
        return checked(make_check(name, rule, message, summarize),
                       {reduce_all(compare(tensor, zero)), tensor});
      },
      "x"_a, "message"_a = nb::none(), "summarize"_a = nb::none(), name_argument(),
      "Raises an InvalidArgumentError unless it holds for every element.");
}

nb::object assert_near(const Pair& pair, double rtol, double atol, nb::handle message,
                       nb::handle summarize) {
  const DType dtype = pair.a.dtype();
  const Tensor bound = abs(pair.b) * Tensor(Number(rtol), dtype) + Tensor(Number(atol), dtype);
  return checked(
      make_check("assert_near", "x and y are not within the tolerance", message, summarize),
      {reduce_all(less_equal(abs(pair.a - pair.b), bound)), pair.a, pair.b});
}

double tolerance(nb::handle given, DType dtype) {
  if (!given.is_none()) return nb::cast<double>(given);
  switch (dtype) {
    case DType::kFloat16: return 10 * 0.000977;
    case DType::kBFloat16: return 10 * 0.0078125;
    case DType::kFloat64: return 10 * 2.220446049250313e-16;
    default: return 10 * 1.1920929e-7;
  }
}

/// A rank is known while a function is traced, so it is checked then.
void def_rank(nb::module_& m, const char* name, bool (*holds)(int, int64_t), const char* word) {
  m.def(
      name,
      [name, holds, word](Like x, Like rank, nb::handle message, nb::handle) {
        const Tensor tensor = x.tensor();
        const int64_t wanted = cast(rank.tensor(), int64).item<int64_t>();
        const std::string own = text_of(message);
        if (!holds(tensor.rank(), wanted))
          throw nb::value_error(fmt::format("{}{}{}: the rank must be {} {}. Got {} of rank {}.",
                                            own, own.empty() ? "" : " ", name, word, wanted,
                                            tensor.spec(), tensor.rank())
                                    .c_str());
        return nb::none();
      },
      "x"_a, "rank"_a, "message"_a = nb::none(), name_argument(),
      "Raises a ValueError unless it holds for the rank of x.");
}

Tensor check_numerics(const Tensor& x, const std::string& message) {
  require(is_floating(x.dtype()), "check_numerics: needs a floating dtype. Got {}.", x.spec());
  const auto check = [message](const Tensor& values) {
    const bool nan = reduce_any(alula::isnan(values)).item<bool>();
    const bool inf = reduce_any(alula::isinf(values)).item<bool>();
    require(!nan && !inf, "{} : Tensor had {}{}{} values. Got {}.", message, inf ? "Inf" : "",
            inf && nan ? " and " : "", nan ? "NaN" : "", values.spec());
    return values;
  };
  if (!x.is_symbolic()) return check(x);
  return host_function(check, x, x.spec());
}

}  // namespace

void bind_debugging(nb::module_& m) {
  nb::module_ debugging = m.def_submodule("_debugging", "Checks.");
  def_comparison(debugging, "assert_equal", equal, "==");
  def_comparison(debugging, "assert_none_equal", not_equal, "!=");
  def_comparison(debugging, "assert_less", less, "<");
  def_comparison(debugging, "assert_less_equal", less_equal, "<=");
  def_comparison(debugging, "assert_greater", greater, ">");
  def_comparison(debugging, "assert_greater_equal", greater_equal, ">=");
  def_sign(debugging, "assert_positive", greater, ">");
  def_sign(debugging, "assert_negative", less, "<");
  def_sign(debugging, "assert_non_negative", greater_equal, ">=");
  def_sign(debugging, "assert_non_positive", less_equal, "<=");
  debugging.def(
      "assert_near",
      [](Like x, Like y, nb::handle rtol, nb::handle atol, nb::handle message, nb::handle summarize,
         nb::handle) {
        const Pair pair(x, y);
        const DType dtype = pair.a.dtype();
        return assert_near(pair, tolerance(rtol, dtype), tolerance(atol, dtype), message,
                           summarize);
      },
      "x"_a, "y"_a, "rtol"_a = nb::none(), "atol"_a = nb::none(), "message"_a = nb::none(),
      "summarize"_a = nb::none(), name_argument(),
      "Raises an InvalidArgumentError unless |x - y| <= atol + rtol * |y| for every element.");
  def_rank(debugging, "assert_rank", [](int rank, int64_t wanted) { return rank == wanted; }, "");
  def_rank(
      debugging, "assert_rank_at_least", [](int rank, int64_t wanted) { return rank >= wanted; },
      "at least");
  debugging.def(
      "check_numerics",
      [](Like tensor, const std::string& message, nb::handle) {
        return wrap(check_numerics(tensor.tensor(), message));
      },
      "tensor"_a, "message"_a, name_argument(),
      "The tensor itself; an InvalidArgumentError if it has a NaN or an infinity.");
  debugging.def(
      "Assert",
      [](Like condition, nb::handle data, nb::handle summarize, nb::handle) {
        const Tensor holds = condition.tensor(boolean);
        const std::string shown =
            fmt::format("the condition does not hold. Got {}", nb::str(data).c_str());
        return checked(make_check("Assert", shown, nb::none(), summarize), {reduce_all(holds)});
      },
      "condition"_a, "data"_a, "summarize"_a = nb::none(), name_argument(),
      "Raises an InvalidArgumentError with the data unless the condition holds.");
}

}  // namespace alula::python
