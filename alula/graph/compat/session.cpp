#include "alula/graph/compat/session.h"

#include <mutex>

#include "alula/graph/compat/executable.h"

namespace alula::compat::v1 {

using internal::Building;
using internal::Lowered;
using internal::Named;
using internal::PlaceholderNote;
using internal::Request;
using internal::Runnable;
using internal::SessionVariable;
using internal::SessionVariables;
using internal::Tally;

Tensor placeholder(DType dtype, const Shape& shape, const PlaceholderOptions& options) {
  internal::GraphState& graph = get_default_graph().state();
  auto* note = new PlaceholderNote;
  Tensor symbol = Tensor::symbolic({dtype, shape}, Ref<Note>(new Symbol));
  symbol.add_note(Ref<Note>(note));
  graph.describe(*note, graph.unique_name(options.name));
  return symbol;
}

namespace {

/// How a tensor that is fed is called in messages.
std::string name_of(const Tensor& tensor) {
  const auto* placeholder = tensor.note<PlaceholderNote>();
  if (placeholder != nullptr) return fmt::format("the placeholder '{}'", placeholder->name);
  const auto* named = tensor.note<Named>();
  return named != nullptr ? fmt::format("'{}'", named->name) : "this tensor";
}

void check_feed(const Tensor& tensor, const Tensor& value) {
  require(tensor.defined(), "Session: a key of feed_dict is not defined.");
  require(tensor.is_symbolic(),
          "Session: a tensor that has its values cannot be fed. Got {}. Feed a placeholder.",
          tensor.spec());
  require(value.defined() && !value.is_symbolic(), "Session: the value fed to {} is not there{}.",
          name_of(tensor), value.defined() ? " yet; run it first" : "");
  if (value.dtype() == tensor.dtype() && compatible(value.shape(), tensor.shape())) return;
  fail("Session: {} is {}. Got {} for it. Use {}.", name_of(tensor), tensor.spec(), value.spec(),
       value.dtype() == tensor.dtype() ? "reshape()" : "cast()");
}

/// What tells one run from another: the tensors asked for, and the specs of the values fed.
using Key = std::vector<uint64_t>;

void append(Key& key, const std::vector<Tensor>& tensors) {
  key.push_back(tensors.size());
  for (const Tensor& tensor : tensors) key.push_back(tensor.id());
}

Key key_of(const Request& request) {
  Key key;
  append(key, request.fetches);
  append(key, request.targets);
  append(key, request.fed);
  for (const Spec& spec : request.specs) {
    key.push_back(static_cast<uint64_t>(spec.dtype) << 8 | static_cast<uint64_t>(spec.rank()));
    for (int64_t dim : spec.shape) key.push_back(static_cast<uint64_t>(dim));
  }
  return key;
}

struct KeyHash {
  size_t operator()(const Key& key) const {
    uint64_t hash = 0xcbf29ce484222325;
    for (uint64_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
  }
};

/// A run that was prepared. It holds the tensors by whose numbers it is found.
struct Prepared {
  Request request;
  std::unique_ptr<Runnable> runnable;
  std::vector<SessionVariable*> read, written;
  std::shared_ptr<Tally> tally;
};

}  // namespace

class DetachedSession::Impl {
 public:
  explicit Impl(const Graph& graph) : graph_(graph) {}
  ~Impl() {
    for (const auto& [key, prepared] : prepared_) graph_.state().tallies.retire(prepared->tally);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::vector<Tensor> run(const std::vector<Tensor>& fetches, const RunOptions& options) {
    Request request{.graph = graph_.state().number(), .fetches = fetches};
    std::vector<const Tensor*> values;
    for (const Tensor& fetch : fetches)
      require(fetch.defined(), "Session: a tensor to be run is not defined.");
    for (const Operation& target : options.targets)
      request.targets.insert(request.targets.end(), target.parts().begin(), target.parts().end());
    for (const auto& [tensor, value] : options.feed_dict) {
      check_feed(tensor, value);
      request.fed.push_back(tensor);
      request.specs.push_back(value.spec());
      values.push_back(&value);
    }
    const Building outside(nullptr);  // what runs now is not to be noted
    Prepared& prepared = find(std::move(request));
    check_initialized(prepared);
    Tally::Run measured(*prepared.tally);
    const Tensors results = prepared.runnable->run(TensorRefs(values));
    measured.succeeded();
    mark_initialized(prepared);
    return {results.begin(), results.begin() + fetches.size()};
  }

  const Graph& graph() const { return graph_; }
  size_t compiled_count() const {
    const std::lock_guard lock(mutex_);
    return prepared_.size();
  }

 private:
  Prepared& find(Request request) {
    Key key = key_of(request);
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Prepared>& place = prepared_[key];
    if (place != nullptr) return *place;
    try {
      place = prepare(std::move(request));
    } catch (...) {
      prepared_.erase(key);
      throw;
    }
    return *place;
  }

  std::unique_ptr<Prepared> prepare(Request request) {
    for (size_t i = 0; i < request.fed.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        require(!request.fed[i].same_as(request.fed[k]), "Session: {} is fed twice.",
                name_of(request.fed[i]));
    const int64_t start = spans::now();
    Lowered lowered = internal::lower(request, variables_);
    auto prepared = std::make_unique<Prepared>();
    prepared->read = std::move(lowered.read);
    prepared->written = std::move(lowered.written);
    prepared->runnable = internal::make_runnable(lowered);
    prepared->request = std::move(request);
    prepared->tally = std::make_shared<Tally>(spans::now() - start, std::move(lowered.scopes));
    graph_.state().tallies.add(prepared->tally);
    return prepared;
  }

  void check_initialized(const Prepared& prepared) const {
    const std::lock_guard lock(mutex_);
    for (const SessionVariable* variable : prepared.read)
      require<FailedPreconditionError>(
          variable->initialized,
          "Session: the variable '{}' has no value in this session yet. Run "
          "global_variables_initializer(), or its initializer(), first.",
          variable->name);
  }

  void mark_initialized(const Prepared& prepared) {
    if (prepared.written.empty()) return;
    const std::lock_guard lock(mutex_);
    for (SessionVariable* variable : prepared.written) variable->initialized = true;
  }

  Graph graph_;
  mutable std::mutex mutex_;
  SessionVariables variables_;
  std::unordered_map<Key, std::unique_ptr<Prepared>, KeyHash> prepared_;
};

DetachedSession::DetachedSession(const SessionOptions& options)
    : impl_(std::make_unique<Impl>(options.graph)) {}
DetachedSession::~DetachedSession() = default;

std::vector<Tensor> DetachedSession::run(const std::vector<Tensor>& fetches,
                                         const RunOptions& options) {
  require<FailedPreconditionError>(impl_ != nullptr, "Session: it has been closed.");
  return impl_->run(fetches, options);
}

Tensor DetachedSession::run(const Tensor& fetch, const RunOptions& options) {
  return std::move(run(std::vector<Tensor>{fetch}, options)[0]);
}

void DetachedSession::run(const Operation& target, const RunOptions& options) {
  RunOptions both = options;
  both.targets.push_back(target);
  run(std::vector<Tensor>(), both);
}

const Graph& DetachedSession::graph() const {
  require<FailedPreconditionError>(impl_ != nullptr, "Session: it has been closed.");
  return impl_->graph();
}

size_t DetachedSession::compiled_count() const { return impl_ ? impl_->compiled_count() : 0; }

void DetachedSession::close() { impl_.reset(); }

}  // namespace alula::compat::v1
