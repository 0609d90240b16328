#pragma once
#include <optional>
#include <span>

#include "alula/graph/edit.h"
#include "alula/ops/elementwise.h"

/// What the passes that put something simpler in the place of a node share, and the rules of the
/// pass `simplify`, by family.
namespace alula::graph {

/// What can take the place of a node's first output; the node itself if its inputs were changed;
/// none if the rule does not apply.
using Simpler = std::optional<Value>;
using Rule = Simpler (*)(Graph& graph, size_t node);

/// Applies rules to all nodes until none applies any more.
void apply_rules(Graph& graph, std::span<const Rule> rules);

std::span<const Rule> arithmetic_rules();
std::span<const Rule> cast_rules();
std::span<const Rule> movement_rules();  // reshape, transpose, slice, …

/// The node that makes a value.
inline const Node& maker(const Graph& graph, const Value& value) { return graph.nodes[value.node]; }

/// Whether a node is a call of an elementwise function.
bool is_call_of(const Node& node, const Elementwise& function);

/// The number that all elements of a value are, if that is known.
std::optional<double> uniform_number(const Graph& graph, Value value);

/// Whether every number of one dtype is one of the other, too.
bool is_lossless(DType from, DType to);

}  // namespace alula::graph
