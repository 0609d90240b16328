#include "python/src/compat.h"

#include "alula/graph/compat/graph_state.h"
#include "python/src/dtype.h"
#include "python/src/module.h"
#include "python/src/ops.h"

// Graphs, scopes and sessions. What a `with` statement opens is an object that lives from its
// __enter__ to its __exit__.
namespace alula::python {

bool builds_graph() { return graph_builder() != nullptr; }

namespace {

using v1::internal::GraphState;
using v1::internal::Named;

/// A scope that Python enters and leaves, possibly several times.
template <class Scope>
class Entered {
 public:
  Entered() = default;
  Entered(Entered&&) = default;
  template <class... Args>
  void enter(const Args&... args) {
    open_.push_back(std::make_unique<Scope>(args...));
  }
  void leave() {
    if (!open_.empty()) open_.pop_back();
  }

 private:
  std::vector<std::unique_ptr<Scope>> open_;
};

/// Graph.as_default(), and what a session opens.
class AsDefault {
 public:
  explicit AsDefault(const v1::Graph& graph) : graph_(graph) {}
  v1::Graph enter() {
    scopes_.enter(graph_);
    return graph_;
  }
  void leave() { scopes_.leave(); }

 private:
  v1::Graph graph_;
  Entered<v1::GraphScope> scopes_;
};

/// A name before those of ops. One that ends in "/" is taken as it is: a scope that is opened
/// again.
class Names {
 public:
  explicit Names(const std::string& name)
      : graph_(v1::get_default_graph()), outer_(graph_.state().name_scope) {
    std::string& scope = graph_.state().name_scope;
    if (name.empty())
      scope.clear();
    else
      scope = name.back() == '/' ? name : graph_.unique_name(name) + "/";
  }
  ~Names() { graph_.state().name_scope = outer_; }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;
  const std::string& scope() const { return graph_.state().name_scope; }

 private:
  v1::Graph graph_;
  std::string outer_;
};

class NameScope {
 public:
  explicit NameScope(std::string name) : name_(std::move(name)) {}
  std::string enter() {
    names_.enter(name_);
    return v1::get_default_graph().state().name_scope;
  }
  void leave() { names_.leave(); }

 private:
  std::string name_;
  Entered<Names> names_;
};

/// A name before those of variables and ops, and whether variables are used again.
class Variables {
 public:
  Variables(const std::string& name, bool absolute, v1::Reuse reuse)
      : graph_(v1::get_default_graph()),
        outer_(graph_.state().variable_scope),
        outer_reuse_(graph_.state().reuse) {
    if (!name.empty()) names_.emplace(name);
    GraphState& state = graph_.state();
    state.variable_scope = (absolute ? "" : outer_) + (name.empty() ? "" : name + "/");
    if (reuse != v1::Reuse::kNo) state.reuse = reuse;
  }
  ~Variables() {
    graph_.state().variable_scope = outer_;
    graph_.state().reuse = outer_reuse_;
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  v1::Graph graph_;
  std::string outer_;
  v1::Reuse outer_reuse_;
  std::optional<Names> names_;
};

class VariableScope {
 public:
  VariableScope(std::string name, bool absolute, v1::Reuse reuse)
      : name_(std::move(name)), absolute_(absolute), reuse_(reuse) {}
  void enter() { scopes_.enter(name_, absolute_, reuse_); }
  void leave() { scopes_.leave(); }

 private:
  std::string name_;
  bool absolute_;
  v1::Reuse reuse_;
  Entered<Variables> scopes_;
};

/// A tensor that has a value, unless it is fed another one.
class WithDefault final : public Call {
 public:
  explicit WithDefault(const Tensor& value) : Call({value}) {}
  Tensors run(std::span<const Tensor> values) const override { return {values[0]}; }
};

Tensor placeholder_with_default(const Tensor& input, const Shape& shape, const std::string& name) {
  require(compatible(input.shape(), shape),
          "placeholder_with_default: the default does not have the shape {}. Got {}.", shape,
          input.spec());
  const Spec spec{input.dtype(), shape};
  Tensor symbol = symbolic_outputs(std::make_shared<WithDefault>(input), {&spec, 1})[0];
  GraphState& graph = v1::get_default_graph().state();
  auto* note = new Named;
  graph.describe(*note, graph.unique_name(name));
  symbol.add_note(Ref<Note>(note));
  return symbol;
}

/// The tensor that is run or fed for a Python object.
Tensor graph_tensor(nb::handle object) {
  if (const Tensor* held = held_tensor(object)) return *held;
  if (const Variable* variable = held_variable(object)) return as_v1(*variable);
  return to_tensor(object);
}

v1::RunOptions run_options(nb::handle feeds, nb::handle targets) {
  v1::RunOptions options;
  if (!feeds.is_none())
    for (const auto [key, value] : nb::borrow<nb::dict>(feeds)) {
      const Tensor tensor = graph_tensor(key);
      const WithoutTracing outside;  // a cast of the value is computed now
      options.feed_dict.emplace_back(tensor, to_tensor(value, tensor.dtype()));
    }
  for (const nb::handle target : targets)
    options.targets.push_back(nb::cast<v1::Operation>(target));
  return options;
}

/// The values of a list of tensors, as arrays.
nb::list run_all(v1::DetachedSession& session, nb::handle fetches, nb::handle feeds,
                 nb::handle targets) {
  std::vector<Tensor> tensors;
  for (const nb::handle fetch : fetches) tensors.push_back(graph_tensor(fetch));
  const v1::RunOptions options = run_options(feeds, targets);
  std::vector<Tensor> values = without_lock([&] { return session.run(tensors, options); });
  nb::list results;
  for (Tensor& value : values) results.append(taken_to_numpy(std::move(value)));
  return results;
}

nb::object run_one(v1::DetachedSession& session, nb::handle fetch, nb::handle feeds) {
  const Tensor tensor = graph_tensor(fetch);
  const v1::RunOptions options = run_options(feeds, nb::tuple());
  return taken_to_numpy(without_lock([&] { return session.run(tensor, options); }));
}

void bind_graph(nb::module_& m) {
  nb::class_<AsDefault>(m, "_AsDefault")
      .def("__enter__", &AsDefault::enter)
      .def("__exit__", [](AsDefault& self, const nb::args&) { self.leave(); });
  nb::class_<NameScope>(m, "_NameScope")
      .def(nb::init<std::string>())
      .def("__enter__", &NameScope::enter)
      .def("__exit__", [](NameScope& self, const nb::args&) { self.leave(); });
  nb::enum_<v1::Reuse>(m, "_Reuse")
      .value("NO", v1::Reuse::kNo)
      .value("YES", v1::Reuse::kYes)
      .value("AUTO", v1::Reuse::kAuto);
  nb::class_<VariableScope>(m, "_VariableScope")
      .def(nb::init<std::string, bool, v1::Reuse>())
      .def("__enter__", &VariableScope::enter)
      .def("__exit__", [](VariableScope& self, const nb::args&) { self.leave(); });

  nb::class_<v1::Graph>(
      m, "Graph", nb::is_weak_referenceable(),
      "What ops are added to while it is the default.\n\n"
      ">>> v1 = tf.compat.v1\n>>> graph = tf.Graph()\n>>> with graph.as_default():\n"
      "...     c = tf.constant(2.0) * 3.0\n"
      ">>> v1.Session(graph=graph).run(c)\nnp.float32(6.0)")
      .def(nb::init<>())
      .def(
          "as_default", [](const v1::Graph& self) { return AsDefault(self); },
          "Ops build this graph within the `with` statement that this is used in.")
      .def(
          "unique_name",
          [](const v1::Graph& self, const std::string& name, bool) {
            return self.unique_name(name);
          },
          "name"_a, "mark_as_used"_a = true, "A name that no op of the graph has.")
      .def(
          "name_scope", [](const v1::Graph&, const std::string& name) { return NameScope(name); },
          "name"_a)
      .def(
          "finalize", [](const v1::Graph&) {}, "Nothing: a graph keeps no list of its ops.")
      .def_prop_ro("building_function", [](const v1::Graph&) { return false; })
      .def_prop_ro("_name_scope", [](const v1::Graph& self) { return self.state().name_scope; })
      .def_prop_ro("_variable_scope",
                   [](const v1::Graph& self) { return self.state().variable_scope; })
      .def_prop_rw(
          "_reuse", [](const v1::Graph& self) { return self.state().reuse; },
          [](const v1::Graph& self, v1::Reuse reuse) { self.state().reuse = reuse; })
      .def("__eq__",
           [](const v1::Graph& self, nb::handle other) {
             return nb::isinstance<v1::Graph>(other) &&
                    self.same_as(*nb::inst_ptr<v1::Graph>(other));
           })
      .def("__hash__",
           [](const v1::Graph& self) { return reinterpret_cast<intptr_t>(&self.state()) >> 4; });

  m.def("get_default_graph", &v1::get_default_graph, "The graph that ops would be added to.");
  m.def("reset_default_graph", &v1::reset_default_graph, "Begins a new default graph.");
  m.def("disable_eager_execution", &v1::disable_eager_execution,
        "From here on, ops of this thread build the default graph.");
  m.def(
      "enable_eager_execution",
      [](nb::handle, nb::handle, nb::handle) { v1::enable_eager_execution(); },
      "config"_a = nb::none(), "device_policy"_a = nb::none(), "execution_mode"_a = nb::none(),
      "From here on, ops of this thread run when they are called.");
  m.def("_builds_graph", &builds_graph);
  m.def("executing_eagerly", &v1::executing_eagerly,
        "Whether ops of this thread run when they are called.\n\n>>> tf.executing_eagerly()\nTrue");
}

void bind_session(nb::module_& m) {
  nb::class_<v1::Operation>(m, "Operation",
                            "Something to be run for what it does: a group of assignments.")
      .def_prop_ro("name",
                   [](const v1::Operation& self) {
                     if (self.parts().empty()) return std::string("NoOp");
                     const auto* named = self.parts()[0].note<Named>();
                     return named == nullptr ? "Const" : named->name;
                   })
      .def_prop_ro("outputs", [](const v1::Operation& self) { return wrap_all(self.parts()); });
  m.def("_operation_of",
        [](nb::handle object) { return v1::Operation(std::vector<Tensor>{graph_tensor(object)}); });
  m.def("_name_of", [](const Tensor& tensor) -> nb::object {
    const auto* named = tensor.is_symbolic() ? tensor.note<Named>() : nullptr;
    if (named == nullptr) return nb::none();
    const auto* symbol = tensor.note<Symbol>();
    return nb::cast(fmt::format("{}:{}", named->name, symbol == nullptr ? 0 : symbol->index));
  });
  m.def("_group", [](nb::handle operations) {
    std::vector<v1::Operation> parts;
    for (const nb::handle operation : operations)
      parts.push_back(nb::cast<v1::Operation>(operation));
    return v1::group(parts);
  });

  nb::class_<v1::DetachedSession>(m, "_Session")
      .def(
          "__init__",
          [](v1::DetachedSession* self, nb::handle graph) {
            new (self) v1::DetachedSession(
                {.graph = graph.is_none() ? v1::get_default_graph() : nb::cast<v1::Graph>(graph)});
          },
          "graph"_a.none())
      .def("run_one", &run_one, "fetch"_a, "feeds"_a.none())
      .def("run_all", &run_all, "fetches"_a, "feeds"_a.none(), "targets"_a)
      .def_prop_ro("graph", &v1::DetachedSession::graph)
      .def_prop_ro("compiled_count", &v1::DetachedSession::compiled_count)
      .def("close", [](v1::DetachedSession& self) {
        without_lock([&] {
          self.close();
          return 0;
        });
      });

  m.def(
      "placeholder",
      [](DTypeLike dtype, ShapeLike shape, const std::optional<std::string>& name) {
        require(!shape.is_none(),
                "placeholder: the shape must be given; its dimensions may be None. Got none.");
        return wrap(v1::placeholder(dtype, shape.get(), {.name = name.value_or("Placeholder")}));
      },
      "dtype"_a, "shape"_a = nb::none(), "name"_a = nb::none(),
      "A tensor that is given its value with every run. A dimension may be None.");
  m.def(
      "placeholder_with_default",
      [](Like input, ShapeLike shape, const std::optional<std::string>& name) {
        return wrap(placeholder_with_default(input.tensor(), shape.get(),
                                             name.value_or("PlaceholderWithDefault")));
      },
      "input"_a, "shape"_a, "name"_a = nb::none(),
      "A tensor that may be fed, and else has a value.");
}

}  // namespace

void bind_compat(nb::module_& m) {
  nb::module_ compat = m.def_submodule("_compat", "Graphs and sessions.");
  bind_graph(compat);
  bind_session(compat);
  bind_compat_variables(compat);
  bind_compat_train(compat);
}

}  // namespace alula::python
