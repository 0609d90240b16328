#pragma once
#include "alula/keras/layer.h"
#include "alula/ops/pad.h"

namespace alula::keras {

/// How many rows and columns are added: 1 on all sides, {1, 2} above and below, left and right, or
/// {{top, bottom}, {left, right}}.
struct Border2D {
  PadSize rows = {1, 1};
  PadSize columns = {1, 1};

  Border2D() = default;
  Border2D(int64_t all) : Border2D(all, all) {}
  Border2D(int64_t rows, int64_t columns) : rows{rows, rows}, columns{columns, columns} {}
  Border2D(PadSize rows, PadSize columns) : rows(rows), columns(columns) {}
};

struct ZeroPadding2DOptions {
  Border2D padding = 1;
  Setting<std::string> data_format = {};  // "channels_last"
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class ZeroPadding2DImpl : public LayerWith<ZeroPadding2DImpl, ZeroPadding2DOptions> {
 public:
  explicit ZeroPadding2DImpl(const ZeroPadding2DOptions& options);
  Tensor call(const Tensor& x) override;
};

namespace layers {
/// Images with a border of zeros. x: [batch, height, width, channels].
///   layers::ZeroPadding2D({.padding = {{1, 0}, {2, 3}}})
using ZeroPadding2D = LayerOf<ZeroPadding2DImpl>;
}  // namespace layers

}  // namespace alula::keras
