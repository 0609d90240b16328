#include "alula/data/dataset.h"
#include "alula/data/host.h"

namespace alula::data {
namespace {

class GeneratorWalk final : public Walk {
 public:
  GeneratorWalk(const Stage& stage, const std::function<Dataset::Generator()>& make)
      : Walk(stage), generator_(make()) {}

  bool next(Row& row) override {
    if (ended_) return false;
    Element element;
    const int64_t index = given_++;
    try {
      if (!generator_(element)) return !(ended_ = true);
    } catch (...) {
      rethrow_from(fmt::format("{}: element {}: ", stage().title(), index));
    }
    check(element, index);
    row = element.tensors();
    return true;
  }
  void save(StateWriter& state) override { state.number(given_); }
  /// What was given before is made again, and passed over, and so is what failed.
  void restore(StateReader& state) override {
    Row row;
    for (int64_t left = state.count(); left > 0; --left) try {
        if (!next(row)) return;
      } catch (...) {
        if (asks_to_stop()) throw;
      }
  }

 private:
  void check(const Element& element, int64_t index) const {
    const ElementSpec& wanted = stage().spec();
    bool fits =
        element.structure() == wanted.structure && element.tensors().size() == wanted.specs.size();
    for (size_t i = 0; fits && i < wanted.specs.size(); ++i) {
      const Tensor& tensor = element.tensors()[i];
      fits = tensor.defined() && tensor.dtype() == wanted.specs[i].dtype &&
             compatible(tensor.shape(), wanted.specs[i].shape);
    }
    require(fits, "{}: element {} is not what was announced, {}. Got {}.", stage().title(), index,
            wanted, element);
  }

  Dataset::Generator generator_;
  int64_t given_ = 0;
  bool ended_ = false;
};

class FromGenerator final : public Stage {
 public:
  FromGenerator(std::function<Dataset::Generator()> make, const ElementSpec& spec)
      : Stage("from_generator", spec), make_(std::move(make)) {}
  int64_t cardinality() const override { return kUnknownCardinality; }
  WalkRef walk(const Context&) const override {
    return std::make_unique<GeneratorWalk>(*this, make_);
  }

 private:
  std::function<Dataset::Generator()> make_;
};

}  // namespace

Dataset Dataset::from_generator(std::function<Generator()> make, const ElementSpec& spec) {
  require(make != nullptr, "from_generator: there is no function.");
  require(spec.structure.leaves() == spec.specs.size(),
          "from_generator: the structure has {} tensors. Got {} specs.", spec.structure.leaves(),
          spec.specs.size());
  return Dataset(std::make_shared<FromGenerator>(std::move(make), spec));
}

}  // namespace alula::data
