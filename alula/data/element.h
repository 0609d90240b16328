#pragma once
#include <array>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "alula/core/tensor.h"

namespace alula::data {

class Dataset;

/// How the tensors of an element are arranged: one tensor, a tuple, or by name. They nest.
struct Structure {
  enum class Kind : uint8_t {
    kTensor,
    kWindow,  // a data set of its own: its elements are stacked in one tensor
    kTuple,
    kNamed,
  };
  Kind kind = Kind::kTensor;
  std::vector<Structure> items = {};
  std::vector<std::string> names = {};  // of the items, sorted as they were given

  bool is_leaf() const { return kind == Kind::kTensor || kind == Kind::kWindow; }
  /// How many tensors there are in all.
  size_t leaves() const;
  bool operator==(const Structure&) const = default;
};

/// What the elements of a data set are: how they are arranged, and the spec of each tensor.
struct ElementSpec {
  Structure structure = {};
  std::vector<Spec> specs = {Spec{}};

  bool operator==(const ElementSpec&) const = default;
};
/// "(float32[64,64,3], int64[])", "{image: uint8[?,?,3], label: int64[]}"
std::string to_string(const ElementSpec& spec);

/// An element of a data set: a tensor, a tuple of elements, or named ones.
///   Element{images, labels}
///   Element{{"image", images}, {"label", labels}}
///   element[0], element["image"]
///   const auto [x, y] = element.tensors<2>();
class Element {
 public:
  Element() = default;
  Element(const Tensor& tensor) : structure_(single()), tensors_{tensor} {}
  Element(std::initializer_list<Element> tuple);
  Element(std::initializer_list<std::pair<const char*, Element>> named);
  Element(Structure structure, std::vector<Tensor> tensors);
  static Element tuple(const std::vector<Element>& items);
  static Element named(const std::vector<std::pair<std::string, Element>>& items);

  const Structure& structure() const { return *structure_; }
  ElementSpec spec() const;
  /// How many items a tuple or a list of names has; 1 if it is a tensor.
  size_t size() const { return structure_->is_leaf() ? 1 : structure_->items.size(); }
  Element operator[](std::integral auto i) const { return at(static_cast<size_t>(i)); }
  Element operator[](std::string_view name) const;

  /// All tensors, one after another, however they nest.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  /// The items, if they are so many tensors.
  template <size_t kCount>
  std::array<Tensor, kCount> tensors() const {
    check_flat(kCount);
    std::array<Tensor, kCount> result;
    for (size_t i = 0; i < kCount; ++i) result[i] = tensors_[i];
    return result;
  }
  /// The tensor, if it is just one.
  const Tensor& tensor() const&;
  Tensor tensor() && { return std::as_const(*this).tensor(); }
  operator Tensor() const { return tensor(); }
  /// The data set, if it is a window.
  Dataset dataset() const;

  std::string str() const;

 private:
  static const std::shared_ptr<const Structure>& single();
  Element at(size_t i) const;
  Element item(size_t i) const;
  void check_flat(size_t count) const;

  std::shared_ptr<const Structure> structure_ = single();
  std::vector<Tensor> tensors_ = {};
};
inline std::string to_string(const Element& element) { return element.str(); }

}  // namespace alula::data

template <>
struct fmt::formatter<alula::data::ElementSpec> : alula::TextFormatter<alula::data::ElementSpec> {};
template <>
struct fmt::formatter<alula::data::Element> : alula::TextFormatter<alula::data::Element> {};
