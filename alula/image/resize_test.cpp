#include "alula/image/resize.h"

#include "alula/autograd/tape.h"
#include "alula/image/reference_test.h"
#include "alula/ops/fill.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"

using namespace alula;
using namespace alula::testing;
using image::reference::Case;

namespace {

Size2 size_of(const Case& item) {
  const auto& size = item.config.at("size").as_array();
  return {static_cast<int64_t>(size[0].as_number()), static_cast<int64_t>(size[1].as_number())};
}

Tensor resize_of(const Tensor& images, const Case& item) {
  return image::resize(images, size_of(item),
                       {.method = item.text("method", "bilinear"),
                        .preserve_aspect_ratio = item.flag("preserve_aspect_ratio"),
                        .antialias = item.flag("antialias")});
}

/// The gradient of images of 5x6; the input is that of the result.
Tensor gradient_of(const Tensor& dy, const Case& item) {
  GradientTape tape;
  const Tensor images = ones({dy.shape()[0], 5, 6, dy.shape()[3]});
  tape.watch(images);
  return tape.gradient(reduce_sum(resize_of(images, item) * dy), images);
}

}  // namespace

TEST(ImageResize, IsTensorFlows) {
  image::reference::check_all("resize", {{"resize", {resize_of, 2e-6}}});
}

TEST(ImageResize, HasTensorFlowsGradient) {
  int count = 0;
  for (const Case& item : image::reference::read("resize")) {
    if (item.function != "resize_gradient") continue;
    ++count;
    image::reference::expect_near(gradient_of(item.input, item), item.output, 2e-6);
  }
  EXPECT_GT(count, 3);
}

TEST(ImageResize, ChecksItsArguments) {
  EXPECT_ERROR(image::resize(Tensor{1.F}, 2), InvalidArgumentError, "resize: an image is");
}
