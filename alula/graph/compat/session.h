#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "alula/graph/compat/variable.h"

namespace alula::compat::v1 {

struct PlaceholderOptions {
  std::string name = "Placeholder";
};

/// A tensor that is given its value with every run. A dimension may be kUnknown.
///   Tensor image = placeholder(float32, {kUnknown, 28, 28, 1}, {.name = "image"});
Tensor placeholder(DType dtype, const Shape& shape, const PlaceholderOptions& options = {});

struct SessionOptions {
  Graph graph = get_default_graph();
};

struct RunOptions {
  /// Values for placeholders, or for any other tensor of the graph, which is then not computed.
  std::vector<std::pair<Tensor, Tensor>> feed_dict = {};
  /// Run as well, for what they do.
  std::vector<Operation> targets = {};
};

/// Runs parts of a graph, and holds the values of its variables. It does not make ops build the
/// graph, as Session does.
class DetachedSession {
 public:
  explicit DetachedSession(const SessionOptions& options = {});
  ~DetachedSession();
  DetachedSession(const DetachedSession&) = delete;
  DetachedSession& operator=(const DetachedSession&) = delete;

  /// The values of tensors: symbolic ones of this graph, or any that are there already. The first
  /// run of the same tensors, with feeds of the same shapes, compiles; later ones only run. If a
  /// run fails, every variable is as it was. Threads may run at the same time.
  Tensor run(const Tensor& fetch, const RunOptions& options = {});
  std::vector<Tensor> run(const std::vector<Tensor>& fetches, const RunOptions& options = {});
  void run(const Operation& target, const RunOptions& options = {});

  const Graph& graph() const;
  /// How many different runs were compiled.
  size_t compiled_count() const;
  /// Frees the variables and what was compiled. It cannot run any more.
  void close();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A session whose graph ops of this thread build while it lives.
///   v1::Session session;
///   Tensor c = matmul(a, b);
///   session.run(c)
class Session : public DetachedSession {
 public:
  explicit Session(const SessionOptions& options = {})
      : DetachedSession(options), scope_(graph()) {}

 private:
  GraphScope scope_;
};

}  // namespace alula::compat::v1
