#pragma once
#include <functional>
#include <string>
#include <vector>

#include "alula/graph/compat/graph.h"
#include "alula/graph/compat/initializers.h"
#include "alula/runtime/variable.h"

namespace alula::compat::v1 {

/// Something to be run for what it does rather than for a value: a group of assignments.
class Operation {
 public:
  Operation() = default;
  Operation(std::vector<Tensor> parts) : parts_(std::move(parts)) {}
  const std::vector<Tensor>& parts() const { return parts_; }

 private:
  std::vector<Tensor> parts_;
};

/// Runs all of them.
Operation group(const std::vector<Operation>& operations);
Operation group(const std::vector<Tensor>& tensors);

struct VariableOptions {
  bool trainable = true;
  std::string name = "Variable";
};

/// A variable of a graph. Each session has its own value of it, from when its initializer has run
/// there. It is a tensor: its value at the beginning of a run.
///   v1::Variable count(Tensor(0), {.name = "count"});
///   session.run(count.initializer());
///   session.run(count.assign_add(Tensor(1)))  ->  1
class Variable : public Tensor {
 public:
  /// No variable: `defined()` is false.
  Variable() = default;
  /// One more variable of the default graph. The initial value may be symbolic; it is computed when
  /// the initializer runs. If the name is taken, a number is added to it.
  explicit Variable(const Tensor& initial_value, const VariableOptions& options = {});

  const std::string& name() const;
  bool trainable() const;
  const Tensor& initial_value() const;
  /// Gives it its initial value.
  Operation initializer() const;

  /// To be run: each changes the variable and gives its new value. Several in one run happen one
  /// after the other; what else reads the variable in that run sees its value from before.
  Tensor assign(const Tensor& value) const;
  Tensor assign_add(const Tensor& delta) const;
  Tensor assign_sub(const Tensor& delta) const;

  /// The variable that a tensor stands for, or an error that names `who`.
  static Variable of(const Tensor& tensor, const char* who);
};

/// The same as functions. A variable that was made eagerly has one value, which sessions change,
/// too.
Tensor assign(const Variable& variable, const Tensor& value);
Tensor assign_add(const Variable& variable, const Tensor& delta);
Tensor assign_sub(const Variable& variable, const Tensor& delta);
Tensor assign(const alula::Variable& variable, const Tensor& value);
Tensor assign_add(const alula::Variable& variable, const Tensor& delta);
Tensor assign_sub(const alula::Variable& variable, const Tensor& delta);

/// Makes one operation of what a function assigns to variables that were made eagerly: those of
/// Keras's layers, or by an optimizer.
///   Operation train = operation([&] { optimizer.apply(gradients, model.trainable_variables()); });
Operation operation(const std::function<void()>& body);

struct GetVariableOptions {
  Shape shape = {};
  DType dtype = float32;
  Initializer initializer = {};  // glorot_uniform_initializer(); zeros for integers and bools
  bool trainable = true;
};

/// A new variable of the default graph, named within the current variable scope. A name that is
/// taken is an error, unless the scope says that variables are reused.
///   get_variable("kernel", {.shape = {3, 3, 1, 32}})
///   get_variable("bias", {.shape = {32}, .initializer = zeros_initializer()})
Variable get_variable(const std::string& name, const GetVariableOptions& options = {});

struct VariableScopeOptions {
  Reuse reuse = Reuse::kNo;  // an inner scope of one that reuses does so, too
};

/// Puts a name before those that get_variable is given while what this returns lives, and before
/// those of ops.
///   auto scope = variable_scope("layer1");
///   get_variable("kernel", …)                 // "layer1/kernel"
class [[nodiscard]] VariableScope {
 public:
  explicit VariableScope(const std::string& name, const VariableScopeOptions& options = {});
  ~VariableScope();
  VariableScope(const VariableScope&) = delete;
  VariableScope& operator=(const VariableScope&) = delete;

 private:
  NameScope names_;
  Graph graph_;
  std::string outer_;
  Reuse outer_reuse_;
};
inline VariableScope variable_scope(const std::string& name,
                                    const VariableScopeOptions& options = {}) {
  return VariableScope(name, options);
}

/// The variables of the default graph, in the order in which they were made.
std::vector<Variable> global_variables();
std::vector<Variable> trainable_variables();

/// Gives all variables that the default graph has by now, or these, their initial values.
Operation global_variables_initializer();
Operation variables_initializer(const std::vector<Variable>& variables);

}  // namespace alula::compat::v1
