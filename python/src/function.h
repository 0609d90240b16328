#pragma once
#include <mutex>

#include "alula/graph/differentiable.h"
#include "alula/graph/placed.h"
#include "python/src/arguments.h"

namespace alula::python {

/// A parameter of a Python function.
struct Parameter {
  nb::object name;
  nb::object fallback;  // not valid: there is none
};

/// What a Python function can be called with.
struct Signature {
  std::vector<Parameter> positional, keyword_only;
  size_t only_positional = 0;  // of the first, how many have no name for callers
  bool more_positional = false, more_keywords = false;
};

/// The arguments of one call in the order of the signature. They are the caller's.
struct BoundArguments {
  InlineVector<PyObject*, 8> values;                          // positional ones, then keyword-only
  InlineVector<PyObject*, 1> more;                            // *args
  InlineVector<std::pair<PyObject*, PyObject*>, 1> keywords;  // **kwargs, by name
};

/// False if they don't fit the signature.
bool bind(const Signature& signature, nb::handle args, nb::handle kwargs, BoundArguments& bound);

/// A Python function that is traced for each kind of arguments, and then runs compiled.
class PythonFunction {
 public:
  PythonFunction(std::string name, Signature signature)
      : name_(std::move(name)), signature_(std::move(signature)) {}

  /// `self`: its Python object, whose `_run_python` is the function to be traced.
  nb::object call(nb::handle self, nb::handle args, nb::handle kwargs);
  /// What runs for these arguments, as text; traced if need be.
  std::string graph_text(nb::handle self, nb::handle args, nb::handle kwargs);
  size_t trace_count() const { return count_; }
  /// The kinds of arguments that there are traces for, a line each.
  std::vector<std::string> signatures() const;
  void set_input_signature(std::vector<Spec> specs) { input_signature_ = std::move(specs); }
  int visit(visitproc visit, void* arg) const;
  void clear();

 private:
  struct Trace {
    KeptParts parts;
    graph::Graph graph;  // as it was traced, for tapes to follow
    std::unique_ptr<graph::Placed> placed;
    std::once_flag first_heard;
    std::unique_ptr<graph::Differentiable> differentiable;  // made when a tape first hears a call

    /// A run that tapes hear of.
    Tensors run_heard(TensorRefs inputs);
    Form form;
    // Of a run on the CPU:
    std::vector<bool> brief;  // inputs of which nothing is left after it
    bool quick = false;       // over before another thread could make use of the time
  };
  using TracePointer = std::shared_ptr<Trace>;

  void bind_or_raise(nb::handle self, nb::handle args, nb::handle kwargs, BoundArguments& bound,
                     nb::object& converted) const;
  bool fits_input_signature(const BoundArguments& bound) const;
  TracePointer find(const Arguments& arguments);
  TracePointer find_or_trace(nb::handle self, const BoundArguments& bound, Arguments& arguments);
  TracePointer trace(nb::handle self, const BoundArguments& bound, const Arguments& arguments);
  graph::Graph trace_once(nb::handle self, const BoundArguments& bound, const Arguments& arguments,
                          Form& form) const;
  nb::object run_python(nb::handle self, const BoundArguments& bound,
                        std::span<const Tensor> tensors) const;
  nb::object run(Trace& trace, Arguments& arguments) const;
  void warn_of_many(const KeptParts& parts);

  std::string name_;
  Signature signature_;
  std::vector<Spec> input_signature_;
  std::recursive_mutex mutex_;  // held while a trace is made
  std::vector<TracePointer> traces_;
  TracePointer latest_;
  size_t count_ = 0;
  bool warned_ = false, creates_variables_ = false;
};

/// Told of every variable that Python code makes: in a function that is being traced, it may do so
/// the first time only.
void note_new_variable();

}  // namespace alula::python
