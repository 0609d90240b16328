#include "python/src/function.h"

#include <algorithm>

#include "alula/graph/layout.h"
#include "alula/graph/run.h"
#include "python/src/errors.h"
#include "python/src/module.h"

namespace alula::python {
namespace {

/// While a function is traced in this thread: whether it may make variables, and whether it did.
struct Creation {
  bool allowed;
  bool happened = false;
  Creation* outer;
};
thread_local Creation* t_creation = nullptr;

class CreationScope {
 public:
  explicit CreationScope(bool allowed) : creation_{.allowed = allowed, .outer = t_creation} {
    t_creation = &creation_;
  }
  ~CreationScope() { t_creation = creation_.outer; }
  CreationScope(const CreationScope&) = delete;
  CreationScope& operator=(const CreationScope&) = delete;
  bool happened() const { return creation_.happened; }

 private:
  Creation creation_;
};

/// Whether all functions run as plain Python, for debugging.
bool g_eagerly = false;

/// The inputs of a graph of which nothing is left after a run: neither a result nor a variable
/// shares their elements, and no other code got hold of them.
std::vector<bool> brief_inputs(const graph::Graph& graph) {
  std::vector<size_t> source(graph.nodes.size());  // the node whose elements each one shares
  std::vector<bool> escapes(graph.nodes.size(), false);
  std::vector<bool> brief;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const graph::Node& node = graph.nodes[i];
    source[i] = graph::is_view(node) && !node.inputs.empty() ? source[node.inputs[0].node] : i;
    const bool host = node.kind == graph::Node::Kind::kHost ||
                      (node.kind == graph::Node::Kind::kOp && node.op->type().host);
    if (host)
      for (const graph::Value& input : node.inputs) escapes[source[input.node]] = true;
  }
  for (const graph::Value& output : graph.outputs) escapes[source[output.node]] = true;
  for (const auto& [variable, value] : graph.updates) escapes[source[value.node]] = true;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].kind == graph::Node::Kind::kInput) brief.push_back(!escapes[i]);
  return brief;
}

/// Whether a graph takes no longer than handing the interpreter over.
bool is_quick(const graph::Graph& graph) {
  constexpr size_t kFewNodes = 32;
  if (graph.nodes.size() > kFewNodes) return false;
  int64_t elements = 0;
  for (const graph::Node& node : graph.nodes) {
    if (node.kind == graph::Node::Kind::kHost ||
        (node.kind == graph::Node::Kind::kOp && node.op->type().host))
      return false;
    for (const Spec& output : node.outputs) {
      if (!output.shape.is_known()) return false;
      elements += output.shape.size();
    }
  }
  return elements < Released::kWorthIt;
}

}  // namespace

nb::object as_traced(nb::handle function) {
  if (!t_state.tracing()) return nb::borrow(function);
  return nb::module_::import_("alula.autograph").attr("converted")(function);
}

void note_new_variable() {
  if (t_creation == nullptr || !t_state.tracing()) return;
  if (!t_creation->allowed)
    throw nb::value_error(
        "tf.function only supports singleton tf.Variables created on the first call. Make the "
        "variable once, "
        "outside of the function or only if it is not there yet, and keep it.");
  t_creation->happened = true;
}

bool bind(const Signature& signature, nb::handle args, nb::handle kwargs, BoundArguments& bound) {
  const size_t positional = signature.positional.size();
  const auto given = static_cast<size_t>(PyTuple_Size(args.ptr()));
  if (given > positional && !signature.more_positional) return false;
  for (size_t i = 0; i < positional; ++i)
    bound.values.push_back(i < given ? PyTuple_GetItem(args.ptr(), static_cast<Py_ssize_t>(i))
                                     : nullptr);
  for (size_t i = positional; i < given; ++i)
    bound.more.push_back(PyTuple_GetItem(args.ptr(), static_cast<Py_ssize_t>(i)));
  for (size_t i = 0; i < signature.keyword_only.size(); ++i) bound.values.push_back(nullptr);
  const auto parameter = [&](size_t i) -> const Parameter& {
    return i < positional ? signature.positional[i] : signature.keyword_only[i - positional];
  };
  Py_ssize_t position = 0;
  PyObject *key = nullptr, *value = nullptr;
  while (kwargs.ptr() != nullptr && PyDict_Next(kwargs.ptr(), &position, &key, &value) != 0) {
    size_t i = signature.only_positional;
    const auto is_it = [&](PyObject* name) {
      return name == key || PyObject_RichCompareBool(name, key, Py_EQ) == 1;
    };
    while (i < bound.values.size() && !is_it(parameter(i).name.ptr())) ++i;
    if (i < bound.values.size()) {
      if (bound.values[i] != nullptr) return false;
      bound.values[i] = value;
    } else if (signature.more_keywords) {
      bound.keywords.push_back({key, value});
    } else {
      return false;
    }
  }
  for (size_t i = 0; i < bound.values.size(); ++i) {
    if (bound.values[i] == nullptr) bound.values[i] = parameter(i).fallback.ptr();
    if (bound.values[i] == nullptr) return false;
  }
  std::sort(bound.keywords.begin(), bound.keywords.end(),
            [](const auto& a, const auto& b) { return PyUnicode_Compare(a.first, b.first) < 0; });
  return true;
}

bool PythonFunction::fits_input_signature(const BoundArguments& bound) const {
  if (bound.values.size() < input_signature_.size()) return false;
  for (size_t i = 0; i < input_signature_.size(); ++i) {
    const Tensor* tensor = held_tensor(bound.values[i]);
    if (tensor == nullptr || tensor->dtype() != input_signature_[i].dtype ||
        !compatible(tensor->shape(), input_signature_[i].shape))
      return false;
  }
  return true;
}

void PythonFunction::bind_or_raise(nb::handle self, nb::handle args, nb::handle kwargs,
                                   BoundArguments& bound, nb::object& converted) const {
  const nb::handle named = kwargs.ptr() != nullptr ? kwargs : nb::handle();
  if (bind(signature_, args, named, bound) &&
      (input_signature_.empty() || fits_input_signature(bound)))
    return;
  // Python says what is wrong, or makes tensors of the arguments as the signature asks.
  nb::object keywords = named.is_valid() ? nb::borrow(named) : nb::object(nb::dict());
  converted = self.attr("_bind")(args, keywords);
  bound = {};
  if (!bind(signature_, converted, nb::handle(), bound))
    throw nb::type_error("function: the arguments do not fit its signature.");
}

PythonFunction::TracePointer PythonFunction::find(const Arguments& arguments) {
  if (latest_ != nullptr && arguments.fit(latest_->parts)) return latest_;
  for (const TracePointer& trace : std::vector(traces_))
    if (trace != latest_ && arguments.fit(trace->parts)) return latest_ = trace;
  return nullptr;
}

PythonFunction::TracePointer PythonFunction::find_or_trace(nb::handle self,
                                                           const BoundArguments& bound,
                                                           Arguments& arguments) {
  if (TracePointer found = find(arguments)) return found;
  std::unique_lock lock(mutex_, std::defer_lock);
  if (!lock.try_lock()) without_lock([&] { lock.lock(); });
  if (TracePointer found = find(arguments)) return found;  // another thread has made it
  return trace(self, bound, arguments);
}

nb::object PythonFunction::run_python(nb::handle self, const BoundArguments& bound,
                                      std::span<const Tensor> tensors) const {
  const size_t positional = signature_.positional.size();
  nb::list args;
  nb::dict kwargs;
  for (size_t i = 0; i < positional; ++i) args.append(with_tensors(bound.values[i], tensors));
  for (PyObject* value : bound.more) args.append(with_tensors(value, tensors));
  for (size_t i = positional; i < bound.values.size(); ++i)
    kwargs[signature_.keyword_only[i - positional].name] = with_tensors(bound.values[i], tensors);
  for (const auto& [name, value] : bound.keywords)
    kwargs[nb::handle(name)] = with_tensors(value, tensors);
  return self.attr("_run_python")(*nb::tuple(args), **kwargs);
}

graph::Graph PythonFunction::trace_once(nb::handle self, const BoundArguments& bound,
                                        const Arguments& arguments, Form& form) const {
  std::vector<Spec> specs;
  for (const Operand& operand : arguments.operands) specs.push_back(operand.spec());
  const auto traced = [&](const std::vector<Tensor>& symbols) {
    const nb::object result = run_python(self, bound, symbols);
    std::vector<Tensor> tensors;
    form = Form(result, tensors);
    return tensors;
  };
  return graph::trace(traced, specs);
}

PythonFunction::TracePointer PythonFunction::trace(nb::handle self, const BoundArguments& bound,
                                                   const Arguments& arguments) {
  auto trace = std::make_shared<Trace>();
  trace->parts = arguments.kept();
  warn_of_many(trace->parts);
  bool again = false;
  {
    const CreationScope scope(count_ == 0 && !creates_variables_);
    trace->graph = trace_once(self, bound, arguments, trace->form);
    again = scope.happened();
  }
  // With its variables made, it must do without new ones, as at every later trace.
  if (again) {
    creates_variables_ = true;
    const CreationScope scope(false);
    trace->graph = trace_once(self, bound, arguments, trace->form);
  }
  trace->placed = std::make_unique<graph::Placed>(trace->graph, graph::PassOptions(), name_);
  trace->brief.assign(arguments.operands.size(), false);
  if (trace->placed->stays_on_cpu()) {
    const graph::Compiled* compiled = nullptr;
    without_lock([&] { compiled = &trace->placed->on(kCPU); });
    trace->brief = brief_inputs(compiled->graph());
    trace->quick = is_quick(compiled->graph());
  }
  const auto is_gone = [](const TracePointer& old) {
    return std::any_of(old->parts.begin(), old->parts.end(),
                       [](const KeptPart& part) { return !part.is_alive(); });
  };
  traces_.erase(std::remove_if(traces_.begin(), traces_.end(), is_gone), traces_.end());
  traces_.push_back(trace);
  ++count_;
  return latest_ = trace;
}

void PythonFunction::warn_of_many(const KeptParts& parts) {
  constexpr size_t kMany = 5;
  const bool said_so = !input_signature_.empty();  // that shapes differ
  if (warned_ || said_so || count_ < kMany || latest_ == nullptr) return;
  warned_ = true;
  const KeptParts& before = latest_->parts;
  size_t i = 0;
  const size_t shared = std::min(parts.size(), before.size());
  while (i + 1 < shared && parts[i].describe() == before[i].describe()) ++i;
  const std::string change = i < shared ? fmt::format("argument part {} was {} and is {} now", i,
                                                      before[i].describe(), parts[i].describe())
                                        : std::string("it is called with other arguments");
  logging::warn(
      "{}: it has been traced {} times, and is traced again because {}. Each trace takes time: "
      "call it with "
      "few different shapes, pass numbers that change as tensors, and make the function once, not "
      "in a "
      "loop. (This is said once.)",
      name_, count_, change);
}

Tensors PythonFunction::Trace::run_heard(TensorRefs inputs) {
  std::call_once(first_heard, [&] {
    if (!graph::Differentiable::can_be(graph)) return;
    try {
      differentiable = std::make_unique<graph::Differentiable>(graph);
    } catch (const Error&) {
      // Something in it has no gradient. Op by op, that matters only if one is asked for.
    }
  });
  return differentiable != nullptr ? differentiable->run(inputs) : graph::run(graph, inputs);
}

nb::object PythonFunction::run(Trace& trace, Arguments& arguments) const {
  const bool heard = (t_state.flags & ThreadState::kListening) != 0;
  const bool on_cpu = !heard && trace.placed->stays_on_cpu();
  InlineVector<const Tensor*, 8> refs;
  for (size_t i = 0; i < arguments.operands.size(); ++i)
    refs.push_back(&arguments.operands[i].tensor(on_cpu && trace.brief[i]));
  const TensorRefs inputs(std::span<const Tensor* const>(refs.data(), refs.size()));
  const auto compute = [&] { return heard ? trace.run_heard(inputs) : trace.placed->run(inputs); };
  const Tensors results = trace.quick && on_cpu ? compute() : without_lock(compute);
  return trace.form.pack(std::span(results.data(), results.size()));
}

nb::object PythonFunction::call(nb::handle self, nb::handle args, nb::handle kwargs) {
  nb::object converted;
  BoundArguments bound;
  bind_or_raise(self, args, kwargs, bound, converted);
  const TracePointer like = latest_;
  Arguments arguments(like != nullptr ? &like->parts : nullptr);
  for (PyObject* value : bound.values) arguments.add(value);
  for (PyObject* value : bound.more) arguments.add(value);
  for (const auto& [name, value] : bound.keywords) {
    arguments.add(name);
    arguments.add(value);
  }
  if (t_state.tracing() || g_eagerly || arguments.any_symbolic()) [[unlikely]] {
    std::vector<Tensor> tensors;  // part of the function around it
    for (Operand& operand : arguments.operands) tensors.push_back(operand.tensor(false));
    return run_python(self, bound, tensors);
  }
  const TracePointer trace = find_or_trace(self, bound, arguments);
  return run(*trace, arguments);
}

std::string PythonFunction::graph_text(nb::handle self, nb::handle args, nb::handle kwargs) {
  nb::object converted;
  BoundArguments bound;
  bind_or_raise(self, args, kwargs, bound, converted);
  Arguments arguments(nullptr);
  for (PyObject* value : bound.values) arguments.add(value);
  for (PyObject* value : bound.more) arguments.add(value);
  for (const auto& [name, value] : bound.keywords) {
    arguments.add(name);
    arguments.add(value);
  }
  const Device place = graph::place_of(std::span<const Tensor* const>());
  return find_or_trace(self, bound, arguments)->placed->on(place).graph().str();
}

std::vector<std::string> PythonFunction::signatures() const {
  std::vector<std::string> lines;
  for (const TracePointer& trace : traces_) {
    std::string line;
    for (const KeptPart& part : trace->parts) line += (line.empty() ? "" : ", ") + part.describe();
    lines.push_back(name_ + "(" + line + ")");
  }
  return lines;
}

int PythonFunction::visit(visitproc visit, void* arg) const {
  const auto visit_all = [&](const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters)
      if (parameter.fallback.is_valid())
        if (const int stop = visit(parameter.fallback.ptr(), arg)) return stop;
    return 0;
  };
  if (const int stop = visit_all(signature_.positional)) return stop;
  if (const int stop = visit_all(signature_.keyword_only)) return stop;
  for (const TracePointer& trace : traces_) {
    for (const KeptPart& part : trace->parts)
      if (const int stop = part.visit(visit, arg)) return stop;
    if (const int stop = trace->form.visit(visit, arg)) return stop;
  }
  return 0;
}

void PythonFunction::clear() {
  latest_.reset();
  traces_.clear();
  signature_ = {};
}

namespace {

PyObject* call_slot(PyObject* self, PyObject* args, PyObject* kwargs) noexcept {
  try {
    return nb::inst_ptr<PythonFunction>(self)->call(self, args, kwargs).release().ptr();
  } catch (...) {
    return raise();
  }
}

int traverse_slot(PyObject* self, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<PythonFunction>(self)->visit(visit, arg) : 0;
}

int clear_slot(PyObject* self) noexcept {
  if (nb::inst_ready(self)) nb::inst_ptr<PythonFunction>(self)->clear();
  return 0;
}

PyType_Slot function_slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_slot)},
                                {Py_tp_traverse, reinterpret_cast<void*>(traverse_slot)},
                                {Py_tp_clear, reinterpret_cast<void*>(clear_slot)},
                                {0, nullptr}};

/// Python's `(name, kind, has a default, default)` for each parameter.
Signature to_signature(const nb::list& parameters) {
  Signature signature;
  for (const nb::handle parameter : parameters) {
    const auto kind = nb::cast<std::string>(parameter[1]);
    const Parameter made{nb::borrow(parameter[0]),
                         nb::cast<bool>(parameter[2]) ? nb::borrow(parameter[3]) : nb::object()};
    if (kind == "VAR_POSITIONAL") {
      signature.more_positional = true;
    } else if (kind == "VAR_KEYWORD") {
      signature.more_keywords = true;
    } else if (kind == "KEYWORD_ONLY") {
      signature.keyword_only.push_back(made);
    } else {
      if (kind == "POSITIONAL_ONLY") ++signature.only_positional;
      signature.positional.push_back(made);
    }
  }
  return signature;
}

}  // namespace

void bind_function(nb::module_& m) {
  nb::class_<PythonFunction>(m, "_Function", nb::type_slots(function_slots),
                             nb::is_weak_referenceable())
      .def("__init__",
           [](PythonFunction* self, const std::string& name, const nb::list& parameters) {
             new (self) PythonFunction(name, to_signature(parameters));
           })
      .def("_set_input_signature",
           [](PythonFunction& self, const nb::list& specs) {
             std::vector<Spec> all;
             for (const nb::handle spec : specs)
               all.push_back({to_dtype(spec[0]), to_shape(spec[1])});
             self.set_input_signature(std::move(all));
           })
      .def("_graph_text",
           [](nb::handle self, nb::handle args, nb::handle kwargs) {
             return nb::inst_ptr<PythonFunction>(self)->graph_text(self, args, kwargs);
           })
      .def("_signatures", &PythonFunction::signatures)
      .def("experimental_get_tracing_count", &PythonFunction::trace_count,
           "How often the function was traced.");
  m.def("_set_functions_eagerly", [](bool on) { g_eagerly = on; });
  m.def("_functions_eagerly", [] { return g_eagerly; });
  m.def("_zeros", [](ShapeLike shape, DTypeLike dtype) { return wrap(zeros(shape, dtype)); });
  m.def("_is_tracing", [] { return t_state.tracing(); });
  nb::class_<WithoutTracing>(m, "_WithoutTracing").def(nb::init<>());
}

}  // namespace alula::python
