#pragma once
// How a reduction is cut into pieces, and these are shared by the threads.
#include <algorithm>
#include <bitset>
#include <cstddef>

#include "alula/backends/cpu/reduce.h"
#include "alula/backends/cpu/scratch.h"
#include "alula/runtime/op.h"
#include "alula/runtime/team.h"

namespace alula::cpu {

/// Dimensions that are gone through in order, with the distance of neighbours in each.
struct Loop {
  Shape sizes, strides;

  int64_t count() const { return sizes.size(); }
  int64_t offset(int64_t i) const {
    int64_t offset = 0;
    for (int axis = sizes.rank() - 1; axis >= 0; --axis) {
      offset += i % sizes[axis] * strides[axis];
      i /= sizes[axis];
    }
    return offset;
  }
};

/// A tensor as blocks of two dimensions, one of which is reduced. Neighbours that are both reduced,
/// or both kept, are one dimension; so the innermost two are such a block, and outside of it there
/// are blocks that have results of their own, and blocks that share theirs.
struct Blocks {
  Loop kept, shared;
  bool columns =
      false;          // the block is [depth, width], reduced along its columns; else [width, depth]
  int64_t width = 1;  // results of a block
  int64_t depth = 1;  // elements that go into one
  int64_t stride = 1;  // of the block's rows

  Blocks(const Shape& shape, std::bitset<kMaxRank> reduced) {
    Shape sizes;
    std::bitset<kMaxRank> merged;
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] == 1) continue;
      const int last = sizes.rank() - 1;
      if (last >= 0 && merged[last] == reduced[i]) {
        sizes[last] *= shape[i];
      } else {
        merged[last + 1] = reduced[i];
        sizes.push_back(shape[i]);
      }
    }
    int rank = sizes.rank();
    if (rank == 0) return;
    columns = !merged[rank - 1];
    const int64_t inner = sizes[rank - 1], outer = rank > 1 ? sizes[rank - 2] : 1;
    width = columns ? inner : outer;
    depth = columns ? outer : inner;
    stride = inner;
    place_outer(sizes, merged, std::max(0, rank - 2), inner * outer);
  }

 private:
  void place_outer(const Shape& sizes, std::bitset<kMaxRank> reduced, int rank, int64_t block) {
    Shape strides = sizes;
    for (int i = rank - 1; i >= 0; --i) {
      strides[i] = block;
      block *= sizes[i];
    }
    for (int i = 0; i < rank; ++i) {
      Loop& loop = reduced[i] ? shared : kept;
      loop.sizes.push_back(sizes[i]);
      loop.strides.push_back(strides[i]);
    }
  }
};

/// Pieces of a range: [begin(i), end(i)).
struct Pieces {
  int64_t total, size, count;

  Pieces(int64_t total, int64_t size)
      : total(total), size(size), count((total + size - 1) / size) {}
  int64_t begin(int64_t i) const { return i * size; }
  int64_t end(int64_t i) const { return std::min(total, (i + 1) * size); }
  int64_t length(int64_t i) const { return end(i) - begin(i); }
};

inline int64_t round_up(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// One reduction, cut by its shape alone, so that results do not depend on the number of threads.
/// The Source has the elements. Positions are those in the whole tensor:
///   rows(position, rows, stride, n, accumulators): adds to accumulator i the n elements of row i
///   columns(position, rows, stride, n, accumulators): adds to accumulator j those of column j
///   nanoseconds(): about how long an element takes
template <class Source>
class ReduceJob {
 public:
  ReduceJob(const Reducer& reducer, const Blocks& blocks, const Source& source, void* out)
      : reducer_(reducer),
        blocks_(blocks),
        source_(source),
        out_(static_cast<std::byte*>(out)),
        results_(blocks.width, results_at_a_time(blocks)),
        shared_(blocks.shared.count(), blocks.shared.count()),
        depth_(blocks.depth, blocks.depth) {
    // Where few results take much work each, several threads work on one.
    const int64_t tasks = blocks.kept.count() * results_.count;
    const int64_t work = results_.size * blocks.depth * blocks.shared.count();
    const int64_t parts =
        std::clamp<int64_t>(work / kPiece, 1, std::max<int64_t>(1, kMostTasks / tasks));
    if (shared_.total >= parts)
      shared_ = Pieces(shared_.total, (shared_.total + parts - 1) / parts);
    else
      depth_ = Pieces(depth_.total,
                      round_up((depth_.total + parts - 1) / parts, blocks.columns ? 8 : 1024));
  }

  void run() {
    const int64_t tasks = blocks_.kept.count() * results_.count,
                  parts = shared_.count * depth_.count;
    const int64_t count = blocks_.depth * blocks_.shared.count();
    const double nanoseconds =
        source_.nanoseconds() * static_cast<double>(results_.size * depth_.size * shared_.size);
    if (parts == 1) {
      team::parallel_for(tasks, nanoseconds, [&](int64_t begin, int64_t end) {
        alignas(64) std::byte accumulators[kMostAccumulators * sizeof(double)];
        for (int64_t task = begin; task < end; ++task) {
          reduce(task, 0, accumulators);
          reducer_.finish(accumulators, length(task), count, result(task));
        }
      });
      return;
    }
    const int64_t row = results_.size * reducer_.accumulator;
    const Scratch<std::byte> scratch(tasks * parts * row);
    team::parallel_for(tasks * parts, nanoseconds, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) reduce(i / parts, i % parts, scratch.data() + i * row);
    });
    for (int64_t task = 0; task < tasks; ++task) {
      std::byte* first = scratch.data() + task * parts * row;
      for (int64_t i = 1; i < parts; ++i) reducer_.combine(first + i * row, length(task), first);
      reducer_.finish(first, length(task), count, result(task));
    }
  }

 private:
  static constexpr int64_t kPiece = 32768;   // elements that are worth a task
  static constexpr int64_t kMostTasks = 64;  // unless each has results of its own

  static int64_t results_at_a_time(const Blocks& blocks) {
    const int64_t most = blocks.columns ? kMostAccumulators : kPiece / blocks.depth;
    return std::clamp<int64_t>(most, 1, std::min(blocks.width, kMostAccumulators));
  }

  int64_t length(int64_t task) const { return results_.length(task % results_.count); }
  std::byte* result(int64_t task) const {
    const int64_t position =
        task / results_.count * blocks_.width + results_.begin(task % results_.count);
    return out_ + position * reducer_.element;
  }

  void reduce(int64_t task, int64_t part, std::byte* accumulators) const {
    const int64_t first = results_.begin(task % results_.count), n = length(task);
    const int64_t shared = part / depth_.count, deep = part % depth_.count;
    const int64_t begin = depth_.begin(deep), depth = depth_.length(deep);
    const int64_t corner =
        blocks_.columns ? begin * blocks_.stride + first : first * blocks_.stride + begin;
    const int64_t block = blocks_.kept.offset(task / results_.count) + corner;
    reducer_.start(accumulators, n);
    for (int64_t i = shared_.begin(shared); i < shared_.end(shared); ++i) {
      const int64_t position = block + blocks_.shared.offset(i);
      if (blocks_.columns)
        source_.columns(position, depth, blocks_.stride, n, accumulators);
      else
        source_.rows(position, n, blocks_.stride, depth, accumulators);
    }
  }

  const Reducer& reducer_;
  const Blocks& blocks_;
  const Source& source_;
  std::byte* out_;
  Pieces results_;         // of a block
  Pieces shared_, depth_;  // of what goes into a result
};

/// Results of no elements.
inline void fill_empty(const Reducer& reducer, const View& out) {
  alignas(64) std::byte accumulator[sizeof(double)];
  reducer.start(accumulator, 1);
  for (int64_t i = 0; i < out.size(); ++i)
    reducer.finish(accumulator, 1, 0, out.as<std::byte>() + i * reducer.element);
}

}  // namespace alula::cpu
