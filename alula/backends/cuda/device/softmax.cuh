// softmax, the cross-entropies and their gradients. The exponentials are those of distances from
// the largest element so far; what was added up before a larger one came is scaled down.

template <class T>
DEVICE typename Compared<T>::Type number(T x) {
  return op_cast<typename Compared<T>::Type>(x);
}
// Distances are measured from here: not from minus infinity, where an element is masked out.
template <class F>
DEVICE F reference(F most) {
  return most == lowest<F>() ? 0 : most;
}

// The sum of exp(x - most).
template <class F>
struct ExpSum {
  F most, sum;
};
template <class T>
struct Exps {
  typedef typename Compared<T>::Type F;
  typedef ExpSum<F> Accumulator;
  static __device__ __forceinline__ Accumulator none() { return {lowest<F>(), 0}; }
  static __device__ __forceinline__ F scaled(Accumulator a, F most) {
    return a.most == most ? a.sum : a.sum * op_exp(a.most - most);
  }
  static __device__ __forceinline__ Accumulator join(Accumulator a, Accumulator b) {
    const F most = op_max(a.most, b.most);
    return {most, scaled(a, most) + scaled(b, most)};
  }
  template <int kCount, class Index>
  static __device__ __forceinline__ Accumulator group(const T (&e)[kCount], const Index (&)[kCount],
                                                      int valid) {
    F most = lowest<F>(), sum = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (i < valid) most = op_max(most, number(e[i]));
    const F from = reference(most);
#pragma unroll
    for (int i = 0; i < kCount; ++i) sum += i < valid ? op_exp(number(e[i]) - from) : 0;
    return {most, sum};
  }
};

// Beside it sum(label) and sum(label * (x - most)).
template <class T>
struct Labelled {
  T label, x;
};
template <class F>
struct LabelledExpSum {
  F most, sum, labels, product;
};
template <class T>
struct LabelledExps {
  typedef typename Compared<T>::Type F;
  typedef LabelledExpSum<F> Accumulator;
  static __device__ __forceinline__ Accumulator none() { return {lowest<F>(), 0, 0, 0}; }
  static __device__ __forceinline__ Accumulator moved(Accumulator a, F most) {
    if (a.most == most) return a;
    const F distance = a.most - most;
    const F further = a.labels == 0 ? 0 : a.labels * distance;
    return {most, a.sum * op_exp(distance), a.labels, a.product + further};
  }
  static __device__ __forceinline__ Accumulator join(Accumulator a, Accumulator b) {
    const F most = op_max(a.most, b.most);
    a = moved(a, most);
    b = moved(b, most);
    return {most, a.sum + b.sum, a.labels + b.labels, a.product + b.product};
  }
  template <int kCount, class Index>
  static __device__ __forceinline__ Accumulator group(const Labelled<T> (&e)[kCount],
                                                      const Index (&)[kCount], int valid) {
    Accumulator all = none();
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (i < valid) all.most = op_max(all.most, number(e[i].x));
    const F from = reference(all.most);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const F below = number(e[i].x) - from, label = number(e[i].label);
      all.sum += i < valid ? op_exp(below) : 0;
      all.labels += i < valid ? label : 0;
      all.product += i < valid ? label * below : 0;
    }
    return all;
  }
};
template <class T>
struct LabelledSource {
  typedef Labelled<T> Element;
  static constexpr int kInputs = 2;
  const T* labels;
  const T* logits;
  template <int kWidth, class Index>
  __device__ __forceinline__ void read(const Index (&at)[2], Labelled<T>* to) const {
    const Pack<T, kWidth> label = load<kWidth>(labels, at[0]), x = load<kWidth>(logits, at[1]);
#pragma unroll
    for (int v = 0; v < kWidth; ++v) to[v] = {label.at[v], x.at[v]};
  }
};

// ---- losses: reductions ----------------------------------------------------------------------

template <class F>
DEVICE F not_a_number() {
  return lowest<F>() - lowest<F>();
}

// A label that is no class makes the loss NaN, and its gradients, as on TensorFlow's GPUs: a kernel
// cannot report it.
template <class T, class Label>
struct SparseLoss : Exps<T> {
  typedef typename Exps<T>::F F;
  T* out;
  const Label* labels;
  const T* logits;
  template <class Shape, class Index>
  __device__ __forceinline__ void put(const Shape& shape, Index row, ExpSum<F> a) const {
    const Label label = labels[row];
    const bool good = label >= 0 && (unsigned long long)label < shape.elements;
    const F x = good ? number(logits[row * shape.elements + (Index)label]) : not_a_number<F>();
    out[row] = op_cast<T>(op_log(a.sum) - (x - a.most));
  }
};
template <class T>
struct DenseLoss : LabelledExps<T> {
  typedef typename LabelledExps<T>::F F;
  T* out;
  template <class Shape, class Index>
  __device__ __forceinline__ void put(const Shape&, Index row, LabelledExpSum<F> a) const {
    out[row] = op_cast<T>(a.labels * op_log(a.sum) - a.product);
  }
};

// ---- what has a value for each element -------------------------------------------------------

template <class T, bool kLog>
struct SoftmaxOf : Exps<T> {
  typedef typename Exps<T>::F F;
  typedef T Element;
  const T* x;
  T* y;
  template <class Index>
  __device__ __forceinline__ T read(Index at) const {
    return x[at];
  }
  template <class Index>
  __device__ __forceinline__ void write(Index, Index, Index at, T e, ExpSum<F> a) const {
    const F below = number(e) - a.most;
    y[at] = op_cast<T>(kLog ? below - op_log(a.sum) : op_exp(below) / a.sum);
  }
};
template <class T, class Label>
struct SparseGradient : Exps<T> {
  typedef typename Exps<T>::F F;
  typedef T Element;
  const Label* labels;
  const T* logits;
  const T* gradient;
  T* out;
  unsigned long long classes;
  template <class Index>
  __device__ __forceinline__ T read(Index at) const {
    return logits[at];
  }
  template <class Index>
  __device__ __forceinline__ void write(Index row, Index j, Index at, T e, ExpSum<F> a) const {
    const Label label = labels[row];
    const bool good = label >= 0 && (unsigned long long)label < classes;
    const F dy = good ? number(gradient[row]) : not_a_number<F>();
    const F y = op_exp(number(e) - a.most) / a.sum * dy;
    out[at] = op_cast<T>(j == (Index)label ? y - dy : y);
  }
};
template <class T>
struct DenseGradient : LabelledExps<T> {
  typedef typename LabelledExps<T>::F F;
  typedef Labelled<T> Element;
  const T* labels;
  const T* logits;
  const T* gradient;
  T* out;
  template <class Index>
  __device__ __forceinline__ Labelled<T> read(Index at) const {
    return {labels[at], logits[at]};
  }
  template <class Index>
  __device__ __forceinline__ void write(Index row, Index, Index at, Labelled<T> e,
                                        LabelledExpSum<F> a) const {
    const F y = op_exp(number(e.x) - a.most) * (a.labels / a.sum);
    out[at] = op_cast<T>((y - number(e.label)) * number(gradient[row]));
  }
};

// Each row by 2^shift threads: some of a warp, or the block. Its elements are `inner` apart, and so
// many rows lie within one another. A thread reads kEach elements at once; if kOnce, it has no
// more, and keeps them.
template <class Job, int kEach, bool kOnce, class Index>
KERNEL void BOUNDS(1024) softmax_rows(const Job job, const Index rows, const Index length,
                                      const Index inner, const unsigned int shift) {
  typedef typename Job::Accumulator A;
  const unsigned int together = 1u << shift;
  const Index own = (Index)blockIdx.x * (blockDim.x >> shift) + (threadIdx.x >> shift);
  const Index row = own < rows ? own : rows - 1;
  const Index lane = threadIdx.x & (together - 1);
  const Index outside = inner == 1 ? row : row / inner;
  const Index base = outside * length * inner + (row - outside * inner);
  typename Job::Element e[kEach];
  const auto read = [&](Index j, Index(&place)[kEach]) {
    int valid = 0;
#pragma unroll
    for (int u = 0; u < kEach; ++u) {
      const bool there = j + u * together < length;
      place[u] = there ? j + u * together : j;
      e[u] = job.read(base + place[u] * inner);
      valid += there;
    }
    return valid;
  };
  A total = Job::none();
  for (Index j = lane; j < length; j += kEach * together) {
    Index place[kEach];
    const int valid = read(j, place);
    total = Job::join(total, Job::group(e, place, valid));
  }
  __shared__ A room[32];
  total = join_threads<Job>(total, shift, room);
  if (own >= rows) return;
  for (Index j = lane; j < length; j += kEach * together) {
    Index place[kEach];
    if (!kOnce) read(j, place);
#pragma unroll
    for (int u = 0; u < kEach; ++u) {
      const Index to = j + u * together;
      if (to < length) job.write(row, to, base + to * inner, e[u], total);
    }
  }
}
