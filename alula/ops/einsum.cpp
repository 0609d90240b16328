#include "alula/ops/einsum.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "alula/ops/matmul.h"
#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"
#include "alula/ops/strided_slice.h"
#include "alula/ops/tile.h"
#include "alula/ops/transpose.h"

namespace alula {
namespace {

/// The names of a tensor's axes, in order. The axes behind "..." are named by the characters from
/// kEllipsis on, counted from the last.
using Labels = std::string;
constexpr char kEllipsis = '\1';

bool is_label(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool contains(const Labels& labels, char label) { return labels.find(label) != Labels::npos; }

struct Equation {
  std::vector<Labels> inputs;
  Labels output;
};

/// One term, with "..." written out as `hidden` labels.
Labels parse_term(std::string_view term, int hidden, std::string_view equation) {
  Labels labels;
  bool dotted = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term.substr(i, 3) == "..." && !dotted) {
      for (int k = hidden - 1; k >= 0; --k) labels += static_cast<char>(kEllipsis + k);
      dotted = true;
      i += 2;
      continue;
    }
    require(is_label(term[i]), "einsum: '{}' is not an axis's name. Got \"{}\". Use letters.",
            term[i], equation);
    labels += term[i];
  }
  return labels;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

/// The labels of a result that is not written down: those that occur once, in order.
Labels implied_output(const std::vector<Labels>& inputs, int hidden) {
  std::map<char, int> counts;
  for (const Labels& labels : inputs)
    for (char label : labels) ++counts[label];
  Labels output;
  for (int k = hidden - 1; k >= 0; --k) output += static_cast<char>(kEllipsis + k);
  for (const auto& [label, count] : counts)
    if (is_label(label) && count == 1) output += label;
  return output;
}

Equation parse(std::string_view equation, std::span<const Tensor> operands) {
  const size_t arrow = equation.find("->");
  const std::vector<std::string> terms = split(equation.substr(0, arrow), ',');
  require(terms.size() == operands.size(), "einsum: \"{}\" names {} operands. Got {}.", equation,
          terms.size(), operands.size());
  int most_hidden = 0;
  Equation parsed;
  for (size_t i = 0; i < terms.size(); ++i) {
    require(operands[i].defined(), "einsum: operand {} is not defined yet.", i);
    const size_t dots = terms[i].find("...");
    const int named = static_cast<int>(terms[i].size()) - (dots == std::string::npos ? 0 : 3);
    const int hidden = dots == std::string::npos ? 0 : std::max(0, operands[i].rank() - named);
    most_hidden = std::max(most_hidden, hidden);
    parsed.inputs.push_back(parse_term(terms[i], hidden, equation));
    require(static_cast<int>(parsed.inputs[i].size()) == operands[i].rank(),
            "einsum: operand {} has {} axes, but \"{}\" names {}. Got {}.", i, operands[i].rank(),
            terms[i], parsed.inputs[i].size(), operands[i].spec());
  }
  if (arrow == std::string_view::npos) {
    parsed.output = implied_output(parsed.inputs, most_hidden);
    return parsed;
  }
  parsed.output = parse_term(split(equation.substr(arrow + 2), ',')[0], most_hidden, equation);
  for (size_t i = 0; i < parsed.output.size(); ++i) {
    const char label = parsed.output[i];
    const bool known = std::any_of(parsed.inputs.begin(), parsed.inputs.end(),
                                   [&](const Labels& labels) { return contains(labels, label); });
    require(known, "einsum: no operand has the axis '{}' of the result. Got \"{}\".", label,
            equation);
    require(parsed.output.find(label, i + 1) == Labels::npos,
            "einsum: the result names '{}' twice. Got \"{}\".", label, equation);
  }
  return parsed;
}

/// A tensor with named axes.
struct Named {
  Tensor tensor;
  Labels labels;

  int64_t size_of(char label) const { return tensor.shape()[static_cast<int>(labels.find(label))]; }
};

/// Orders the axes as `order` names them.
Tensor arrange(const Named& x, const Labels& order) {
  if (x.labels == order) return x.tensor;
  std::vector<int64_t> perm;
  for (char label : order) perm.push_back(static_cast<int64_t>(x.labels.find(label)));
  return transpose(x.tensor, perm);
}

/// Keeps the diagonal where a label occurs twice.
Named take_diagonals(Named x) {
  for (size_t i = 0; i < x.labels.size(); ++i) {
    const size_t again = x.labels.find(x.labels[i], i + 1);
    if (again == Labels::npos) continue;
    const int64_t n = x.tensor.shape()[static_cast<int>(i)];
    require(n == x.tensor.shape()[static_cast<int>(again)],
            "einsum: the axes named '{}' differ in size. Got {}.", x.labels[i], x.tensor.spec());
    // The two axes go last and become one; every (n + 1)th element of it is on the diagonal.
    std::vector<int64_t> perm;
    Labels rest;
    Shape shape;
    for (size_t k = 0; k < x.labels.size(); ++k) {
      if (k == i || k == again) continue;
      perm.push_back(static_cast<int64_t>(k));
      rest += x.labels[k];
      shape.push_back(x.tensor.shape()[static_cast<int>(k)]);
    }
    perm.push_back(static_cast<int64_t>(i));
    perm.push_back(static_cast<int64_t>(again));
    Ints begins, ends(shape.begin(), shape.end()), steps;
    for (int k = 0; k <= shape.rank(); ++k) {
      begins.push_back(0);
      steps.push_back(k < shape.rank() ? 1 : n + 1);
    }
    ends.push_back(n * n);
    StridedSliceOptions options;
    options.strides = steps;
    x.tensor = reshape(transpose(x.tensor, perm), shape + Shape{n * n});
    x.tensor = strided_slice(x.tensor, begins, ends, options);
    x.labels = rest + x.labels[i];
    return take_diagonals(std::move(x));
  }
  return x;
}

/// Sums over the axes that nothing further on needs.
Named sum_unneeded(const Named& x, const Labels& needed) {
  std::vector<int64_t> axes;
  Labels left;
  for (size_t i = 0; i < x.labels.size(); ++i) {
    if (contains(needed, x.labels[i]))
      left += x.labels[i];
    else
      axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return x;
  return {reduce_sum(x.tensor, {.axis = axes}), left};
}

/// Repeats axes of size 1 that are longer in the other operand; only those behind "..." may be so.
Tensor stretch(const Named& x, const Named& other) {
  Shape shape = x.tensor.shape();
  for (int i = 0; i < shape.rank(); ++i) {
    const char label = x.labels[i];
    if (!contains(other.labels, label) || other.size_of(label) == shape[i]) continue;
    const bool repeats = shape[i] == 1 && !is_label(label);
    require(repeats || (other.size_of(label) == 1 && !is_label(label)),
            "einsum: the axis '{}' has two sizes, {} and {}. Got {}, {}.",
            is_label(label) ? label : '.', shape[i], other.size_of(label), x.tensor.spec(),
            other.tensor.spec());
    if (repeats) shape[i] = other.size_of(label);
  }
  return shape == x.tensor.shape() ? x.tensor : broadcast_to(x.tensor, shape);
}

int64_t product_of(const Named& x, const Labels& labels) {
  int64_t product = 1;
  for (char label : labels) product *= x.size_of(label);
  return product;
}

/// An operand as a batch of matrices [batch, rows, columns]: as it is if its axes stand so, or the
/// other way round (`transposed`), which a product takes as well.
struct Matrices {
  Tensor tensor;
  bool transposed = false;
};

Matrices as_matrices(const Named& x, const Labels& batch, const Labels& rows,
                     const Labels& columns) {
  const bool swapped = x.labels == batch + columns + rows && x.labels != batch + rows + columns;
  const Tensor ordered = swapped ? x.tensor : arrange(x, batch + rows + columns);
  const int64_t b = product_of(x, batch), r = product_of(x, rows), c = product_of(x, columns);
  const Shape matrix = swapped ? Shape{c, r} : Shape{r, c};
  return {reshape(ordered, batch.empty() ? matrix : Shape{b} + matrix), swapped};
}

/// The product of two operands, with the axes that are still needed.
Named multiply(Named a, Named b, const Labels& needed) {
  a = sum_unneeded(a, needed + b.labels);
  b = sum_unneeded(b, needed + a.labels);
  const Tensor stretched = stretch(a, b);
  b.tensor = stretch(b, a);
  a.tensor = stretched;
  Labels batch, rows, columns, inner;
  for (char label : a.labels) {
    if (!contains(b.labels, label))
      rows += label;
    else
      (contains(needed, label) ? batch : inner) += label;
  }
  for (char label : b.labels)
    if (!contains(a.labels, label)) columns += label;

  const Matrices x = as_matrices(a, batch, rows, inner), y = as_matrices(b, batch, inner, columns);
  const Tensor product =
      matmul(x.tensor, y.tensor, {.transpose_a = x.transposed, .transpose_b = y.transposed});
  Shape shape;
  for (char label : batch + rows) shape.push_back(a.size_of(label));
  for (char label : columns) shape.push_back(b.size_of(label));
  return {reshape(product, shape), batch + rows + columns};
}

}  // namespace

Tensor einsum(std::string_view equation, std::span<const Tensor> operands) {
  require(!operands.empty(), "einsum: there must be an operand. Got none for \"{}\".", equation);
  const Equation parsed = parse(equation, operands);
  Named result = take_diagonals({operands[0], parsed.inputs[0]});
  for (size_t i = 1; i < operands.size(); ++i) {
    Labels needed = parsed.output;
    for (size_t k = i + 1; k < operands.size(); ++k) needed += parsed.inputs[k];
    result = multiply(std::move(result), take_diagonals({operands[i], parsed.inputs[i]}), needed);
  }
  return arrange(sum_unneeded(result, parsed.output), parsed.output);
}

Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands) {
  return einsum(equation, std::span(operands.begin(), operands.size()));
}

}  // namespace alula
