#include "alula/image/crop.h"

#include <set>

#include "alula/image/reference_test.h"
#include "alula/ops/range.h"
#include "alula/ops/reshape.h"

using namespace alula;
using namespace alula::image;
using namespace alula::testing;
using reference::Case;

namespace {

BoundingBox box_of(const Case& item) {
  return {.offset_height = item.integer("offset_height"),
          .offset_width = item.integer("offset_width"),
          .target_height = item.integer("target_height"),
          .target_width = item.integer("target_width")};
}

}  // namespace

TEST(Crop, IsTensorFlows) {
  reference::check_all(
      "shape",
      {{"central_crop", {[](const Tensor& x, const Case& item) {
          return central_crop(x, item.number("central_fraction"));
        }}},
       {"crop_to_bounding_box",
        {[](const Tensor& x, const Case& item) { return crop_to_bounding_box(x, box_of(item)); }}},
       {"pad_to_bounding_box",
        {[](const Tensor& x, const Case& item) { return pad_to_bounding_box(x, box_of(item)); }}},
       {"resize_with_crop_or_pad", {[](const Tensor& x, const Case& item) {
          return resize_with_crop_or_pad(x, item.integer("target_height"),
                                         item.integer("target_width"));
        }}}});
}

TEST(Crop, RandomCropIsSomewhere) {
  const Tensor image = reshape(range(6 * 8 * 2), {6, 8, 2});
  const auto crop = [](const Tensor& x) { return random_crop(x, {4, 5, 2}, {.seed = 2}); };
  // The first element says where the part began; all else follows from that.
  const auto check_part = [](std::span<const int32_t> part, std::set<int32_t>& places) {
    places.insert(part[0]);
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 10; ++x) ASSERT_EQ(part[y * 10 + x], part[0] + y * 16 + x);
  };
  std::set<int32_t> places, batched;
  for (int i = 0; i < 200; ++i) check_part(crop(image).to_vector<int32_t>(), places);
  EXPECT_EQ(places.size(), 12U);
  const std::vector<Tensor> many(200, image);
  const std::vector<int32_t> all = vectorized_map(crop, stack(many)).to_vector<int32_t>();
  for (int i = 0; i < 200; ++i) check_part(std::span(all).subspan(i * 40, 40), batched);
  EXPECT_EQ(batched.size(), 12U);
  EXPECT_EQ(random_crop(image, {-1, 3, -1}).shape(), (Shape{6, 3, 2}));
}

TEST(Crop, ChecksItsArguments) {
  const Tensor image = random_tensor({float32, {4, 5, 3}});
  EXPECT_ERROR(central_crop(image, 0), InvalidArgumentError, "above 0 and at most 1. Got 0");
  EXPECT_ERROR(central_crop(image, 1.5), InvalidArgumentError, "above 0 and at most 1");
  EXPECT_ERROR(central_crop(Tensor{1.F}, 0.5), InvalidArgumentError, "central_crop: an image is");
  EXPECT_ERROR(crop_to_bounding_box(image, {0, 0, 0, 1}), InvalidArgumentError,
               "crop_to_bounding_box: the target's size must be positive");
  EXPECT_ERROR(crop_to_bounding_box(image, {0, -1, 1, 1}), InvalidArgumentError,
               "offsets must not be negative");
  EXPECT_ERROR(crop_to_bounding_box(image, {0, 0, 5, 1}), InvalidArgumentError, "the height is 4");
  EXPECT_ERROR(pad_to_bounding_box(image, {0, 0, 5, 4}), InvalidArgumentError,
               "the width of 5 must fit into 4");
  EXPECT_ERROR(resize_with_crop_or_pad(image, 0, 1), InvalidArgumentError, "must be positive");
  EXPECT_ERROR(random_crop(image, {4, 5}), InvalidArgumentError,
               "random_crop: the size needs 3 numbers, one for each dimension. Got [4,5].");
  EXPECT_ERROR(random_crop(image, {4, 6, 3}), InvalidArgumentError, "dimension 1 has 5 elements");
  EXPECT_ERROR(random_crop(Tensor(), {1}), InvalidArgumentError, "not defined");
}
