#include "alula/backends/cuda/kernels/reduction.h"

#include <algorithm>

#include "alula/backends/cuda/kernels/program_kernels.h"
#include "alula/backends/cuda/layout.h"

namespace alula::cuda {
namespace {

constexpr int64_t kThreads = 256;  // kReduceThreads
constexpr int64_t kMostNarrow = int64_t{1} << 31;
constexpr int64_t kMostPack = 8;  // elements
constexpr int64_t kPackBytes = 16;

/// Dimensions from the innermost outwards, with their strides in each input.
struct Dims {
  Shape sizes;
  InlineVector<Shape, 4> strides;

  int rank() const { return sizes.rank(); }
  int64_t count() const { return sizes.size(); }
};

/// The dimensions of a job. Neighbours of one kind that no input tells apart are one.
struct Parted {
  Dims kept, reduced;
  bool columns = false;  // whether the innermost one is kept

  explicit Parted(const ReduceJob& job) {
    for (Dims* dims : {&kept, &reduced})
      for (size_t k = 0; k < job.inputs.size(); ++k) dims->strides.emplace_back();
    job.shape.size() == 0 ? part_nothing(job) : part(job);
    for (Dims* dims : {&kept, &reduced})
      if (dims->rank() == 0) add(*dims, 1, {});
  }

 private:
  using Strides = InlineVector<int64_t, 4>;  // of each input, in one dimension

  static void add(Dims& dims, int64_t size, const Strides& strides) {
    dims.sizes.push_back(size);
    for (size_t k = 0; k < dims.strides.size(); ++k)
      dims.strides[k].push_back(strides.empty() ? 0 : strides[k]);
  }

  static bool joins(const Dims& dims, const Strides& strides) {
    for (size_t k = 0; k < strides.size(); ++k)
      if (strides[k] != dims.strides[k].back() * dims.sizes.back()) return false;
    return true;
  }

  void part(const ReduceJob& job) {
    InlineVector<InlineVector<int64_t, kMaxRank>, 4> all;
    for (const ReduceInput& input : job.inputs) all.push_back(strides_over(job.shape, input.shape));
    Dims* last = nullptr;
    for (int i = job.shape.rank() - 1; i >= 0; --i) {
      if (job.shape[i] == 1) continue;
      Dims* dims = job.reduced[i] ? &reduced : &kept;
      Strides strides;
      for (const auto& input : all) strides.push_back(input[i]);
      if (last == nullptr) columns = dims == &kept;
      if (dims == last && joins(*dims, strides))
        dims->sizes[dims->rank() - 1] *= job.shape[i];
      else
        add(*dims, job.shape[i], strides);
      last = dims;
    }
  }

  /// There are no elements, but perhaps results.
  void part_nothing(const ReduceJob& job) {
    int64_t results = 1;
    for (int i = 0; i < job.shape.rank(); ++i)
      if (!job.reduced[i]) results *= job.shape[i];
    add(kept, results, {});
    add(reduced, 0, {});
  }
};

/// How a job is cut into blocks and threads: by its shape alone.
struct Plan {
  bool columns;     // by reduce_columns, otherwise by reduce_rows
  int width = 1;    // elements of a pack
  int threads = 1;  // that go across, or together: a power of 2
  int at_once = 1;  // packs that a thread has on their way
  int64_t parts = 1, part = 0;
  int64_t blocks = 1;
  unsigned mask = 0;  // inputs that are read in packs

  Plan(const ReduceJob& job, const Parted& dims, bool may_part)
      : columns(dims.columns),
        kept_(dims.kept),
        reduced_(dims.reduced),
        results_(dims.kept.count()),
        count_(dims.reduced.count()),
        processors_(current_card().multiprocessors()) {
    part = count_;
    width = widest_pack(job);
    columns ? plan_columns(job, may_part) : plan_rows(may_part);
    const int64_t terms =
        columns ? divide_up(part, kThreads / threads) : divide_up(divide_up(part, width), threads);
    at_once = terms <= 2 ? static_cast<int>(std::max<int64_t>(terms, 1)) : width > 4 ? 4 : 8;
    if (width == 1) return;
    const Dims& inner = dims.columns ? kept_ : reduced_;
    for (size_t k = 0; k < job.inputs.size(); ++k)
      mask |= static_cast<unsigned>(inner.strides[k][0] == 1) << k;
  }

 private:
  static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
  /// The least power of 2 that is enough, but no more than a warp.
  static int power_for(int64_t threads) {
    return static_cast<int>(
        std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(threads, 1, 32))));
  }

  int widest_pack(const ReduceJob& job) const {
    int64_t element = 1;
    for (const ReduceInput& input : job.inputs)
      element = std::max(element, static_cast<int64_t>(input.element));
    const int64_t pack = std::clamp<int64_t>(kPackBytes / element, 1, kMostPack);
    return fits(job, pack) ? static_cast<int>(pack) : 1;
  }

  /// Whether packs of that many elements are aligned and stay within a row.
  bool fits(const ReduceJob& job, int64_t pack) const {
    const Dims& inner = columns ? kept_ : reduced_;
    // What is left at the end of the only dimension is taken one by one.
    const bool ragged = !columns && reduced_.rank() == 1;
    if (!ragged && inner.sizes[0] % pack != 0) return false;
    for (size_t k = 0; k < job.inputs.size(); ++k) {
      if (inner.strides[k][0] == 0) continue;
      const int64_t bytes = pack * static_cast<int64_t>(job.inputs[k].element);
      if (reinterpret_cast<uintptr_t>(job.inputs[k].data) % bytes != 0) return false;
      for (const Dims* dims : {&kept_, &reduced_})
        for (int i = dims == &inner ? 1 : 0; i < dims->rank(); ++i)
          if (dims->strides[k][i] % pack != 0) return false;
    }
    return true;
  }

  /// Cuts what goes into a result where there are too few results to fill the card. A thread is to
  /// have some packs left, or the parts would take longer to join than to make.
  void cut(int64_t packs_a_thread, int64_t multiple) {
    constexpr int64_t kLong = 16, kShort = 8, kWaves = 4;
    if (packs_a_thread <= kLong || blocks >= 2 * processors_) return;
    const int64_t most = divide_up(kWaves * processors_, blocks);
    const int64_t wanted = std::min(divide_up(packs_a_thread, kShort), most);
    part = divide_up(divide_up(count_, wanted), multiple) * multiple;
    parts = divide_up(count_, part);
  }

  void plan_rows(bool may_part) {
    const int64_t packs = divide_up(count_, width);
    const bool many = results_ >= 8 * processors_;
    const bool few = results_ * packs <= kThreads * processors_;
    threads = packs > (many ? 1024 : 256) ? kThreads : power_for(few ? packs : divide_up(packs, 4));
    blocks = divide_up(results_, kThreads / threads);
    if (may_part && threads == kThreads) cut(divide_up(packs, kThreads), width);
  }

  void plan_columns(const ReduceJob& job, bool may_part) {
    const int64_t row = kept_.sizes[0], outer = results_ / row;
    // Where results are plenty each thread has one; neighbours read neighbours.
    if (count_ <= 8 || (row < 16 && results_ >= 1024 * processors_)) {
      columns = false;
      width = 1;
      blocks = divide_up(results_, kThreads);
      return;
    }
    const int64_t packs = row / width;
    const auto blocks_of = [&](int across) { return outer * divide_up(packs, across); };
    const int widest = power_for(packs);
    threads = widest;
    // What is small is spread over more blocks, as long as a row of a tile fills a sector.
    constexpr int64_t kSector = 32, kSmall = 8 << 20;
    const auto element = static_cast<int64_t>(job.inputs[0].element);
    if (results_ * count_ * element <= kSmall)
      while (threads > 1 && blocks_of(threads) < processors_ &&
             threads / 2 * width * element >= kSector)
        threads /= 2;
    blocks = blocks_of(threads);
    if (!may_part) return;
    cut(divide_up(count_, kThreads / threads), 1);
    if (parts == 1 || threads == widest) return;
    threads = widest;
    blocks = blocks_of(threads);
    cut(divide_up(count_, kThreads / threads), 1);
  }

  const Dims &kept_, &reduced_;
  int64_t results_, count_, processors_;
};

/// The device's struct Reduction, as its words.
class ShapeArgument {
 public:
  ShapeArgument(const Parted& dims, const Plan& plan, int64_t elements, bool wide) : wide_(wide) {
    const int64_t count = dims.reduced.count(), results = dims.kept.count();
    for (int64_t value :
         {count, elements, results, dims.kept.sizes[0], plan.part,
          static_cast<int64_t>(std::countr_zero(static_cast<unsigned>(plan.threads)))})
      put(value);
    put(dims.kept);
    put(dims.reduced);
  }
  const void* data() const {
    return wide_ ? static_cast<const void*>(words64_.data()) : words32_.data();
  }

 private:
  void put(int64_t value) {
    if (wide_)
      words64_.push_back(static_cast<uint64_t>(value));
    else
      words32_.push_back(static_cast<uint32_t>(value));
  }
  void put(const Dims& dims) {
    put(dims.rank());
    for (int i = 0; i < kMaxRank; ++i) {
      const int64_t size = i < dims.rank() ? std::max<int64_t>(dims.sizes[i], 1) : 1;
      const Divider divider(wide_ ? 1 : static_cast<uint32_t>(size));
      if (!wide_) {
        put(divider.multiplier);
        put(divider.shift);
      }
      put(size);
    }
    for (const Shape& strides : dims.strides)
      for (int i = 0; i < kMaxRank; ++i) put(i < dims.rank() ? strides[i] : 0);
  }

  bool wide_;
  InlineVector<uint32_t, 128> words32_;
  InlineVector<uint64_t, 1> words64_;
};

struct Step {
  const std::string& reducer;
  const Fields& reducer_fields;
  int64_t elements;  // that a mean divides by
};

void launch_step(const KernelCall& call, const ReduceJob& job, const Parted& dims, const Plan& plan,
                 const Step& step) {
  const bool wide = dims.kept.count() * dims.reduced.count() >= kMostNarrow;
  std::string source = job.source;
  constexpr std::string_view kMask = "MASK";
  if (const size_t at = source.find(kMask); at != std::string::npos)
    source.replace(at, kMask.size(), fmt::format("{}", plan.mask));
  const std::string function =
      fmt::format("{}<{}, {}, {}, {}, {}, {}>", plan.columns ? "reduce_columns" : "reduce_rows",
                  source, step.reducer, plan.width, plan.at_once, dims.reduced.rank() == 1,
                  wide ? "unsigned long long" : "unsigned int");
  const ShapeArgument shape(dims, plan, step.elements, wide);
  void* arguments[] = {const_cast<uint64_t*>(job.source_fields.data()),
                       const_cast<uint64_t*>(step.reducer_fields.data()),
                       const_cast<void*>(shape.data()), nullptr};
  const Grid grid{
      .blocks = {static_cast<unsigned>(plan.blocks), static_cast<unsigned>(plan.parts), 1},
      .threads = {kThreads, 1, 1}};
  Card& card = current_card();
  const LoadedKernel kernel =
      job.program == nullptr ? card.find({job.files, function})
                             : ProgramKernels::of(*job.program).find(card, function, [&] {
                                 return KernelSource{job.files, function, job.print(*job.program)};
                               });
  card.launch(kernel, grid, arguments, call.queue);
}

}  // namespace

void reduce(const KernelCall& call, const ReduceJob& job) {
  const Parted dims(job);
  const int64_t results = dims.kept.count(), count = dims.reduced.count();
  const Plan plan(job, dims, /*may_part=*/true);
  if (plan.parts == 1)
    return launch_step(call, job, dims, plan, {job.reducer, job.reducer_fields, count});
  const Scratch parts(static_cast<size_t>(plan.parts * results) * job.accumulator);
  launch_step(call, job, dims, plan,
              {fmt::format("Partial<{}>", job.reducer), {field(parts.data())}, count});
  const Shape shape{plan.parts, results};
  const ReduceJob rest{.shape = shape,
                       .reduced = 1,
                       .inputs = {{parts.data(), job.accumulator, shape}},
                       .files = job.files,
                       .source = fmt::format("Stored<typename {}::Accumulator>", job.reducer),
                       .source_fields = {field(parts.data())},
                       .reducer = fmt::format("Final<{}>", job.reducer),
                       .reducer_fields = job.reducer_fields,
                       .accumulator = job.accumulator};
  const Parted rest_dims(rest);
  launch_step(call, rest, rest_dims, Plan(rest, rest_dims, /*may_part=*/false),
              {rest.reducer, rest.reducer_fields, count});
}

}  // namespace alula::cuda
