#include "alula/image/standardize.h"

#include "alula/image/reference_test.h"
#include "alula/ops/split.h"

using namespace alula;
using namespace alula::image;
using namespace alula::testing;
using reference::Case;

TEST(Standardize, IsTensorFlows) {
  reference::check_all(
      "adjust",
      {{"per_image_standardization",
        {[](const Tensor& x, const Case&) { return per_image_standardization(x); }, 2e-6}},
       {"total_variation", {[](const Tensor& x, const Case&) { return total_variation(x); }, 1e-6}},
       {"psnr",
        {[](const Tensor& x, const Case& item) {
           const Tensors both = unstack(x);
           return psnr(both[0], both[1], item.number("max_val"));
         },
         1e-6}}});
}

TEST(Standardize, TakesUnknownSizes) {
  const Spec spec{uint8, {kUnknown, kUnknown, 3}};
  const graph::Graph traced = graph::trace(
      [](const std::vector<Tensor>& in) {
        return std::vector<Tensor>{per_image_standardization(in[0])};
      },
      {&spec, 1});
  EXPECT_EQ(traced.spec(traced.outputs[0]), (Spec{float32, {kUnknown, kUnknown, 3}}));
}

TEST(Standardize, ChecksItsArguments) {
  EXPECT_ERROR(per_image_standardization(Tensor{1.F}), InvalidArgumentError, "an image is");
  EXPECT_ERROR(total_variation(Tensor{1.F}), InvalidArgumentError, "an image is");
  EXPECT_ERROR(psnr(random_tensor({float32, {2, 2, 1}}), random_tensor({uint8, {2, 2, 1}}), 1),
               InvalidArgumentError, "psnr: the images must have one dtype");
}
