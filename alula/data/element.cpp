#include "alula/data/element.h"

#include <algorithm>

namespace alula::data {
namespace {

/// Writes a structure, with what `leaf` gives for each of its tensors, in order.
template <class F>
void write(const Structure& structure, const F& leaf, std::string& text) {
  switch (structure.kind) {
    case Structure::Kind::kTensor: text += leaf(); return;
    case Structure::Kind::kWindow: text += "Dataset(" + leaf() + ")"; return;
    case Structure::Kind::kTuple:
    case Structure::Kind::kNamed: break;
  }
  const bool named = structure.kind == Structure::Kind::kNamed;
  text += named ? "{" : "(";
  for (size_t i = 0; i < structure.items.size(); ++i) {
    if (i > 0) text += ", ";
    if (named) text += structure.names[i] + ": ";
    write(structure.items[i], leaf, text);
  }
  text += named ? "}" : ")";
}

}  // namespace

size_t Structure::leaves() const {
  if (is_leaf()) return 1;
  size_t count = 0;
  for (const Structure& item : items) count += item.leaves();
  return count;
}

std::string to_string(const ElementSpec& spec) {
  std::string text;
  size_t i = 0;
  write(spec.structure, [&] { return to_string(spec.specs[i++]); }, text);
  return text;
}

const std::shared_ptr<const Structure>& Element::single() {
  static const auto* one = new std::shared_ptr<const Structure>(std::make_shared<Structure>());
  return *one;
}

Element::Element(Structure structure, std::vector<Tensor> tensors)
    : structure_(structure.kind == Structure::Kind::kTensor
                     ? single()
                     : std::make_shared<Structure>(std::move(structure))),
      tensors_(std::move(tensors)) {
  require(structure_->leaves() == tensors_.size(), "element: takes {} tensors. Got {}.",
          structure_->leaves(), tensors_.size());
}

Element Element::tuple(const std::vector<Element>& items) {
  Structure structure{.kind = Structure::Kind::kTuple};
  std::vector<Tensor> tensors;
  for (const Element& item : items) {
    structure.items.push_back(item.structure());
    tensors.insert(tensors.end(), item.tensors_.begin(), item.tensors_.end());
  }
  return {std::move(structure), std::move(tensors)};
}

Element Element::named(const std::vector<std::pair<std::string, Element>>& items) {
  Structure structure{.kind = Structure::Kind::kNamed};
  std::vector<Tensor> tensors;
  for (const auto& [name, item] : items) {
    require(
        std::find(structure.names.begin(), structure.names.end(), name) == structure.names.end(),
        "element: the name '{}' is there twice.", name);
    structure.names.push_back(name);
    structure.items.push_back(item.structure());
    tensors.insert(tensors.end(), item.tensors_.begin(), item.tensors_.end());
  }
  return {std::move(structure), std::move(tensors)};
}

Element::Element(std::initializer_list<Element> items)
    : Element(tuple(std::vector<Element>(items))) {}

Element::Element(std::initializer_list<std::pair<const char*, Element>> items)
    : Element(named({items.begin(), items.end()})) {}

ElementSpec Element::spec() const {
  ElementSpec spec{structure(), {}};
  for (const Tensor& tensor : tensors_) spec.specs.push_back(tensor.spec());
  return spec;
}

Element Element::item(size_t i) const {
  size_t first = 0;
  for (size_t k = 0; k < i; ++k) first += structure_->items[k].leaves();
  const auto begin = tensors_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto count = static_cast<std::ptrdiff_t>(structure_->items[i].leaves());
  return {structure_->items[i], {begin, begin + count}};
}

Element Element::at(size_t i) const {
  if (structure_->is_leaf() && i == 0) return *this;
  require<OutOfRangeError>(!structure_->is_leaf() && i < size(),
                           "element: there is no item {}. Got {}.", i, spec());
  return item(i);
}

Element Element::operator[](std::string_view name) const {
  const auto& names = structure_->names;
  const auto found = std::find(names.begin(), names.end(), name);
  require<NotFoundError>(found != names.end(), "element: there is no '{}'. Got {}.", name, spec());
  return item(static_cast<size_t>(found - names.begin()));
}

const Tensor& Element::tensor() const& {
  require(structure_->kind == Structure::Kind::kTensor && tensors_.size() == 1,
          "element: it is not a single tensor. Got {}. Pick one with [].", spec());
  return tensors_[0];
}

void Element::check_flat(size_t count) const {
  const auto is_tensor = [](const Structure& item) {
    return item.kind == Structure::Kind::kTensor;
  };
  const bool flat = is_tensor(*structure_) ||
                    std::all_of(structure_->items.begin(), structure_->items.end(), is_tensor);
  require(flat && tensors_.size() == count, "element: it is not {} tensors. Got {}.", count,
          spec());
}

std::string Element::str() const {
  std::string text;
  size_t i = 0;
  const auto next = [&]() -> std::string {
    const bool there = i < tensors_.size() && tensors_[i].defined();
    return there ? tensors_[i++].str() : "nothing";
  };
  write(*structure_, next, text);
  return text;
}

}  // namespace alula::data
