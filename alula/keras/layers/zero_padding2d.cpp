#include "alula/keras/layers/zero_padding2d.h"

#include "alula/keras/layers/data_format.h"

namespace alula::keras {

ZeroPadding2DImpl::ZeroPadding2DImpl(const ZeroPadding2DOptions& options) : LayerWith(options) {
  check_data_format("ZeroPadding2D", options.data_format);
  const auto [rows, columns] = options.padding;
  require(rows.before >= 0 && rows.after >= 0 && columns.before >= 0 && columns.after >= 0,
          "ZeroPadding2D: padding cannot be negative. Got {{{{{}, {}}}, {{{}, {}}}}}.", rows.before,
          rows.after, columns.before, columns.after);
  set_input_spec({.rank = 4});
}

Tensor ZeroPadding2DImpl::call(const Tensor& x) {
  return pad(x, {{0, 0}, options.padding.rows, options.padding.columns, {0, 0}});
}

}  // namespace alula::keras
