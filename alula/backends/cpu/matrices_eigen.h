#pragma once
#include <Eigen/Core>

#include "alula/backends/cpu/matrices.h"

/// Matrices as Eigen sees them.
namespace alula::cpu {

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// For reflections and rotations, which work on columns.
template <class T>
using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// Matrix i of a batch.
template <class T>
Eigen::Map<const Rows<T>> input(const View& view, const Matrices& sizes, int64_t i) {
  return {view.as<const T>() + i * sizes.size(), sizes.rows, sizes.columns};
}
template <class T>
Eigen::Map<Rows<T>> output(const View& view, const Matrices& sizes, int64_t i) {
  return {view.as<T>() + i * sizes.size(), sizes.rows, sizes.columns};
}
template <class T>
Eigen::Map<Rows<T>> output(const View& view, int64_t i) {
  return output<T>(view, Matrices(view.shape()), i);
}

}  // namespace alula::cpu
