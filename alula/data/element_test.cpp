#include "alula/data/element.h"

#include "alula/data/dataset.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::data;

TEST(Element, IsATensorATupleOrNamed) {
  const Tensor a = {1, 2}, b = {3.f};
  const Element one = a, tuple = {a, b}, named = {{"left", a}, {"right", b}};
  EXPECT_EQ(one.str(), "[1 2]");
  EXPECT_EQ(tuple.str(), "([1 2], [3.])");
  EXPECT_EQ(named.str(), "{left: [1 2], right: [3.]}");
  EXPECT_EQ(to_string(Element{tuple, named, a}.spec()),
            "((int32[2], float32[1]), {left: int32[2], right: float32[1]}, int32[2])");
  EXPECT_EQ(one.size(), 1u);
  EXPECT_EQ(tuple.size(), 2u);
}

TEST(Element, ItemsAreFoundByNumberAndName) {
  const Tensor a = {1, 2}, b = {3.f}, c = {4};
  const Element nested = {{"pair", Element{a, b}}, {"last", c}};
  EXPECT_TRUE(nested["pair"][1].tensor().same_as(b));
  EXPECT_TRUE(nested[1].tensor().same_as(c));
  EXPECT_TRUE(Element(a)[0].tensor().same_as(a));
  EXPECT_EQ(nested.tensors().size(), 3u);
  const Tensor implicit = nested["last"];
  EXPECT_TRUE(implicit.same_as(c));
  const auto [x, y] = nested["pair"].tensors<2>();
  EXPECT_TRUE(x.same_as(a));
  EXPECT_TRUE(y.same_as(b));
}

TEST(Element, ItemsOutliveTheElementThatTheyAreOf) {
  Element element = {Tensor{1, 2}, Tensor{3}};
  const Tensor& first = element[0];  // of an element that is gone after this line
  const Tensor& second = element[1].tensor();
  element = {};
  EXPECT_EQ(first.str(), "[1 2]");
  EXPECT_EQ(second.str(), "[3]");
}

TEST(Element, SaysWhatIsNotThere) {
  const Element pair = {Tensor{1}, Tensor{2}}, named = {{"x", Tensor{1}}};
  EXPECT_ERROR(pair[2], OutOfRangeError, "there is no item 2. Got (int32[1], int32[1])");
  EXPECT_ERROR(pair["x"], NotFoundError, "there is no 'x'");
  EXPECT_ERROR(named["y"], NotFoundError, "there is no 'y'. Got {x: int32[1]}");
  EXPECT_ERROR(pair.tensor(), InvalidArgumentError, "not a single tensor");
  EXPECT_ERROR(pair.tensors<3>(), InvalidArgumentError, "it is not 3 tensors");
  EXPECT_ERROR((Element{pair, Tensor{1}}.tensors<3>()), InvalidArgumentError,
               "it is not 3 tensors");
  EXPECT_ERROR((Element{{"x", Tensor{1}}, {"x", Tensor{2}}}), InvalidArgumentError,
               "the name 'x' is there twice");
  EXPECT_ERROR(pair.dataset(), InvalidArgumentError, "it is no data set");
}
