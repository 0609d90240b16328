// The cross-entropies: some rows of logits at a time, of which only the losses are kept; and their
// gradients, which compute the exponentials again rather than have them written and read.
#include <algorithm>
#include <cstdint>

#include "alula/backends/cpu/along_axis.h"
#include "alula/backends/cpu/targets.h"
#include "alula/ops/cross_entropy.h"
#include "alula/runtime/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/cross_entropy_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "alula/backends/cpu/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

/// Calls `body(tile, first, below, room)` for tiles of rows: `below` holds the logits less the
/// row's largest, `room` is as large.
template <class T, class F, class Body>
void for_each_tile(const View& logits, const Body& body) {
  const int64_t n = logits.shape().back(), rows = logits.size() / n;
  const int64_t step = std::min(rows, rows_at_a_time(n)), tiles = (rows + step - 1) / step;
  team::parallel_for(tiles, static_cast<double>(n * step) * 0.25 * sizeof(F),
                     [&](int64_t begin, int64_t end) {
                       const Scratch<F> below(n * step), room(n * step);
                       ExpTile<F> tile{.width = n, .stride = n, .columns = false};
                       for (int64_t i = begin; i < end; ++i) {
                         tile.rows = std::min(step, rows - i * step);
                         const T* x = logits.as<const T>() + i * step * n;
                         if constexpr (std::is_same_v<T, F>) {
                           tile.compute(x, below.data(), room.data());
                         } else {
                           widen(x, below.data(), tile.rows * n);
                           tile.compute(below.data(), below.data(), room.data());
                         }
                         body(tile, i * step, below.data(), room.data());
                       }
                     });
}

/// `label_at(row)` has been checked to be a class.
template <class T, class F, class Labels>
void sparse(const View& logits, const View& losses, const Labels& label_at) {
  for_each_tile<T, F>(logits, [&](const ExpTile<F>& tile, int64_t first, const F* below, F*) {
    tile.each_row([&](int64_t i, int64_t at) {
      const double loss =
          std::log(tile.sums[i]) - static_cast<double>(below[at + label_at(first + i)]);
      losses.as<T>()[first + i] = static_cast<T>(static_cast<F>(loss));
    });
  });
}

template <class T, class F>
void dense(const View& labels, const View& logits, const View& losses) {
  static const Reducer& sum = find_reducer(Reduction::kSum, dtype_of<F>);
  for_each_tile<T, F>(logits, [&](ExpTile<F>& tile, int64_t first, const F* below, F* terms) {
    tile.each_row([&](int64_t i, int64_t at) {
      const T* row = labels.as<const T>() + first * tile.width + at;
      const F log_sum = static_cast<F>(std::log(tile.sums[i]));
#pragma GCC ivdep
      for (int64_t j = 0; j < tile.width; ++j)
        terms[at + j] = static_cast<F>(row[j]) * (log_sum - below[at + j]);
    });
    sum.start(tile.sums, tile.rows);
    sum.rows(terms, tile.rows, tile.stride, tile.width, tile.sums);
    for (int64_t i = 0; i < tile.rows; ++i)
      losses.as<T>()[first + i] = static_cast<T>(static_cast<F>(tile.sums[i]));
  });
}

/// results = (softmax - one_hot) * gradient.
template <class T, class F, class Labels>
void sparse_gradient(const View& logits, const View& gradient, const View& result,
                     const Labels& label_at) {
  for_each_tile<T, F>(logits, [&](const ExpTile<F>& tile, int64_t first, const F*, F* exps) {
    tile.each_row([&](int64_t i, int64_t at) {
      const F dy = static_cast<F>(gradient.as<const T>()[first + i]);
      const F factor = static_cast<F>(1 / tile.sums[i]) * dy;
      F* row = exps + at;
#pragma GCC ivdep
      for (int64_t j = 0; j < tile.width; ++j) row[j] *= factor;
      row[label_at(first + i)] -= dy;
    });
    narrow(exps, result.as<T>() + first * tile.width, tile.rows * tile.width);
  });
}

/// results = (softmax * sum(labels) - labels) * gradient.
template <class T, class F>
void dense_gradient(const View& labels, const View& logits, const View& gradient,
                    const View& result) {
  static const Reducer& sum = find_reducer(Reduction::kSum, dtype_of<F>);
  for_each_tile<T, F>(logits, [&](const ExpTile<F>& tile, int64_t first, F* room, F* exps) {
    const int64_t size = tile.rows * tile.width;
    widen(labels.as<const T>() + first * tile.width, room, size);
    double sums[kMostSums];
    sum.start(sums, tile.rows);
    sum.rows(room, tile.rows, tile.stride, tile.width, sums);
    tile.each_row([&](int64_t i, int64_t at) {
      const F dy = static_cast<F>(gradient.as<const T>()[first + i]);
      const F factor = static_cast<F>(sums[i] / tile.sums[i]);
      F* row = exps + at;
#pragma GCC ivdep
      for (int64_t j = 0; j < tile.width; ++j) row[j] = (row[j] * factor - room[at + j]) * dy;
    });
    narrow(exps, result.as<T>() + first * tile.width, size);
  });
}

template <class Body>
void with_floating(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kFloat16: return body(Type<Half>(), Type<float>());
    case DType::kBFloat16: return body(Type<BFloat16>(), Type<float>());
    case DType::kFloat32: return body(Type<float>(), Type<float>());
    default: return body(Type<double>(), Type<double>());
  }
}

/// The label of each row, whatever the labels' dtype.
struct LabelAt {
  const View& labels;
  bool narrow = labels.dtype() == int32;
  int64_t operator()(int64_t row) const {
    return narrow ? labels.as<const int32_t>()[row] : labels.as<const int64_t>()[row];
  }
};

void RunSparse(const View& labels, const View& logits, const View& losses) {
  with_floating(logits.dtype(), [&]<class T, class F>(Type<T>, Type<F>) {
    sparse<T, F>(logits, losses, LabelAt{labels});
  });
}

void RunSparseGradient(const KernelCall& call) {
  const View &labels = call.inputs[0], &logits = call.inputs[1], &gradient = call.inputs[2];
  with_floating(logits.dtype(), [&]<class T, class F>(Type<T>, Type<F>) {
    sparse_gradient<T, F>(logits, gradient, call.outputs[0], LabelAt{labels});
  });
}

void RunDenseGradient(const KernelCall& call) {
  const View &labels = call.inputs[0], &logits = call.inputs[1], &gradient = call.inputs[2];
  with_floating(logits.dtype(), [&]<class T, class F>(Type<T>, Type<F>) {
    dense_gradient<T, F>(labels, logits, gradient, call.outputs[0]);
  });
}

void RunDense(const View& labels, const View& logits, const View& losses) {
  with_floating(logits.dtype(),
                [&]<class T, class F>(Type<T>, Type<F>) { dense<T, F>(labels, logits, losses); });
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {
namespace {

HWY_EXPORT(RunSparse);
HWY_EXPORT(RunDense);
HWY_EXPORT(RunSparseGradient);
HWY_EXPORT(RunDenseGradient);

template <class Label>
void check_labels(const char* who, const View& labels, const View& logits) {
  const int64_t classes = logits.shape().back();
  for (int64_t i = 0; i < labels.size(); ++i) {
    const int64_t label = labels.as<const Label>()[i];
    require(label >= 0 && label < classes,
            "{}: label {} at row {} is no class: there are {} classes, from 0. Got labels {}, "
            "logits {}.",
            who, label, i, classes, *labels.spec, *logits.spec);
  }
}
void check_labels(const char* who, const View& labels, const View& logits) {
  labels.dtype() == int32 ? check_labels<int32_t>(who, labels, logits)
                          : check_labels<int64_t>(who, labels, logits);
}

const RegisterKernel<DeviceType::kCPU, SparseSoftmaxCrossEntropy> sparse{
    [](const SparseSoftmaxCrossEntropy& op, const KernelCall& call) {
      const View &labels = call.inputs[0], &logits = call.inputs[1];
      if (labels.size() == 0) return;
      check_labels(op.kName, labels, logits);
      HWY_DYNAMIC_DISPATCH(RunSparse)(labels, logits, call.outputs[0]);
    }};
const RegisterKernel<DeviceType::kCPU, SoftmaxCrossEntropy> dense{
    [](const SoftmaxCrossEntropy&, const KernelCall& call) {
      if (call.outputs[0].size() == 0) return;
      HWY_DYNAMIC_DISPATCH(RunDense)(call.inputs[0], call.inputs[1], call.outputs[0]);
    }};
const RegisterKernel<DeviceType::kCPU, SparseSoftmaxCrossEntropyGradient> sparse_gradient{
    [](const SparseSoftmaxCrossEntropyGradient& op, const KernelCall& call) {
      if (call.outputs[0].size() == 0) return;
      check_labels(op.kName, call.inputs[0], call.inputs[1]);
      HWY_DYNAMIC_DISPATCH(RunSparseGradient)(call);
    }};
const RegisterKernel<DeviceType::kCPU, SoftmaxCrossEntropyGradient> dense_gradient{
    [](const SoftmaxCrossEntropyGradient&, const KernelCall& call) {
      if (call.outputs[0].size() == 0) return;
      HWY_DYNAMIC_DISPATCH(RunDenseGradient)(call);
    }};

}  // namespace
}  // namespace alula::cpu
#endif
