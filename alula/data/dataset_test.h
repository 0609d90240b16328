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

/// The numbers below `count`, of which one fails.
inline Dataset failing_numbers(int64_t count, int64_t bad) {
  const auto make = [=] {
    return [=, i = int64_t{0}](Element& e) mutable {
      const int64_t mine = i++;
      require(mine != bad, "number {} is a bad one", mine);
      e = Tensor(mine);
      return mine < count;
    };
  };
  return Dataset::from_generator(make, {{}, {{int64, {}}}});
}

/// What each call of `next` gives, up to the end: elements, and "!" for each error.
inline std::vector<std::string> calls_of_next(const Dataset& dataset) {
  std::vector<std::string> texts;
  Iterator iterator = dataset.iterator();
  for (bool more = true; more;) try {
      Element element;
      more = iterator.next(element);
      if (more) texts.push_back(element.str());
    } catch (const Error&) {
      texts.emplace_back("!");
    }
  return texts;
}

/// The same, one behind the other.
inline std::string with_errors(const Dataset& dataset) {
  std::string text;
  for (const std::string& each : calls_of_next(dataset)) text += each + " ";
  return text;
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

/// The elements that a reader gets who goes on behind errors, and how many of those there were.
/// Batches are taken apart.
struct Survivors {
  std::vector<std::string> elements;
  int errors = 0;
};
enum class Unpack : bool { kNo, kYes };
inline Survivors survivors(const Dataset& dataset, Unpack unpack = Unpack::kNo) {
  Survivors result;
  Iterator iterator = dataset.iterator();
  for (Element element; result.errors < 100;) {
    try {
      if (!iterator.next(element)) return result;
      const int64_t count = unpack == Unpack::kYes ? element.tensors()[0].shape()[0] : 0;
      for (int64_t i = 0; i < count; ++i)
        result.elements.push_back(Element(element.structure(), row_of(element.tensors(), i)).str());
      if (unpack == Unpack::kNo) result.elements.push_back(element.str());
    } catch (const Error&) {
      ++result.errors;
    }
  }
  ADD_FAILURE() << "errors without end";
  return result;
}

/// All of `all` in their order, but up to `lost` of them.
inline void expect_all_but(int64_t lost, const std::vector<std::string>& all,
                           const std::vector<std::string>& given) {
  size_t found = 0;
  for (const std::string& each : all)
    if (found < given.size() && given[found] == each) ++found;
  EXPECT_EQ(found, given.size()) << "there are others, or they are out of order: "
                                 << fmt::format("{}", fmt::join(given, " "));
  EXPECT_GE(std::ssize(given), std::ssize(all) - lost) << fmt::format("{}", fmt::join(given, " "));
}

/// What is read in blocks goes as far in each as so many calls of `next` do, also where an element
/// fails. `step` takes a data set of the numbers below 24, and gives numbers.
template <class F>
void expect_blocks_go_as_far(const F& step) {
  for (const int64_t bad : {0, 5, 12, 23})
    for (const int64_t size : {2, 3, 7}) {
      const Dataset dataset = step(failing_numbers(24, bad));
      const std::vector<std::string> single = calls_of_next(dataset);
      std::vector<std::string> expected;
      for (auto from = single.begin(); from != single.end();) {
        const auto to = from + std::min<std::ptrdiff_t>(size, single.end() - from);
        std::vector<int64_t> batch;
        for (; from != to && *from != "!"; ++from) batch.push_back(std::stoll(*from));
        expected.push_back(from == to ? Element(Tensor(batch)).str() : "!");
        from = to;
      }
      EXPECT_EQ(calls_of_next(dataset.batch(size)), expected)
          << "element " << bad << " fails, in blocks of " << size;
    }
}

struct GoesOn {
  int64_t lost = 1;       // elements that an element of the source is in
  bool in_blocks = true;  // whether what the step gives can be stacked
};

/// A step whose source fails at one element gives all that does not depend on it, as if nothing had
/// failed: read singly nothing else is lost, and in blocks no more than two of them (the one that
/// is asked for, and one that was read for it). `step` takes a data set of the numbers below 24.
template <class F>
void expect_goes_on_behind_an_error(const F& step, const GoesOn& options = {}) {
  constexpr int64_t kCount = 24;
  const std::vector<std::string> whole = texts(step(failing_numbers(kCount, -1)));
  for (const int64_t bad : {0, 1, 2, 5, 12, 23}) {
    SCOPED_TRACE(fmt::format("element {} fails", bad));
    const Dataset dataset = step(failing_numbers(kCount, bad));
    const Survivors singly = survivors(dataset);
    EXPECT_EQ(singly.errors, 1);
    expect_all_but(options.lost, whole, singly.elements);
    for (const int64_t size : {2, 3, 5}) {
      if (!options.in_blocks) break;
      SCOPED_TRACE(fmt::format("in blocks of {}", size));
      const Survivors in_blocks = survivors(dataset.batch(size), Unpack::kYes);
      EXPECT_GE(in_blocks.errors, 1);
      expect_all_but(options.lost + 2 * size, whole, in_blocks.elements);
    }
  }
}

}  // namespace alula::data::testing
