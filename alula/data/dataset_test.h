#pragma once
#include "alula/data/dataset.h"
#include "alula/testing/harness.h"

/// What the tests of data sets share.
namespace alula::data::testing {

/// The elements of a data set, as text.
inline std::vector<std::string> texts(const Dataset& dataset) {
  std::vector<std::string> result;
  for (const Element& element : dataset) result.push_back(element.str());
  return result;
}

/// The int64 scalars that a data set gives.
inline std::vector<int64_t> numbers(const Dataset& dataset) {
  std::vector<int64_t> result;
  for (const Element& element : dataset) result.push_back(element.tensor().item<int64_t>());
  return result;
}

/// The numbers of batches, one after another.
inline std::vector<int64_t> flat_numbers(const Dataset& dataset) {
  std::vector<int64_t> result;
  for (const Element& element : dataset) {
    const std::vector<int64_t> part = element.tensor().to_vector<int64_t>();
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

/// Stops a walk after each of its elements, saves it, and lets another one go on: all give the same
/// as an undisturbed walk. The data set must be one that gives the same elements in each walk, or
/// what is saved must say which.
inline void expect_restores_everywhere(const Dataset& dataset) {
  Iterator whole = dataset.iterator();
  std::vector<std::string> states{whole.save()}, elements;
  for (Element element; whole.next(element);) {
    elements.push_back(element.str());
    states.push_back(whole.save());
  }
  for (size_t i = 0; i < states.size(); ++i) {
    Iterator again = dataset.iterator();
    again.restore(states[i]);
    std::vector<std::string> rest;
    for (Element element; again.next(element);) rest.push_back(element.str());
    EXPECT_EQ(rest, std::vector<std::string>(elements.begin() + static_cast<std::ptrdiff_t>(i),
                                             elements.end()))
        << "restored after " << i << " elements";
  }
}

/// Elements and batches of any size are the same elements.
inline void expect_same_in_blocks(const Dataset& dataset) {
  const std::vector<std::string> single = texts(dataset);
  for (const int64_t size : {2, 3, 7, 64}) {
    std::vector<std::string> unpacked;
    for (const Element& batch : dataset.batch(size))
      for (int64_t i = 0; i < batch.tensors()[0].shape()[0]; ++i)
        unpacked.push_back(Element(batch.structure(), row_of(batch.tensors(), i)).str());
    EXPECT_EQ(unpacked, single) << "in batches of " << size;
  }
}

}  // namespace alula::data::testing
