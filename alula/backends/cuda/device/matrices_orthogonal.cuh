// Matrices with columns at right angles, by reflections and rotations. After matrices, with its
// rules.

template <class T>
struct Precision {
  static constexpr T kStep = 1.1920929e-7f;  // from 1 to the next number
};
template <>
struct Precision<double> {
  static constexpr double kStep = 2.220446049250313e-16;
};

// ---- reflections -----------------------------------------------------------------------------

// Reflection j is 1 - tau v v', where v is 1 at j, below it what column j of w: [m, n] has there,
// and above it 0. Applies it to the columns of z: [m, columns] from `first` on, a warp each.
template <class T>
DEVICE void reflect(const T* w, int n, T tau, long long j, int m, T* z, int columns, int first) {
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (long long c = first + threadIdx.x / 32; c < columns; c += warps) {
    const T top = z[j * columns + c];
    T sum = 0;
    for (long long i = j + 1 + lane; i < m; i += 32) sum += w[i * n + j] * z[i * columns + c];
    sum = tau * (join_warp(sum, [](T a, T b) { return a + b; }) + top);
    if (lane == 0) z[j * columns + c] = top - sum;
    for (long long i = j + 1 + lane; i < m; i += 32) z[i * columns + c] -= w[i * n + j] * sum;
  }
  __syncthreads();
}

// w becomes R, and below its diagonal the reflections that make it so.
template <class T>
DEVICE void decompose_qr(T* w, T* taus, int m, int n) {
  for (long long j = 0; j < n && j < m; ++j) {
    T below = 0;
    for (long long i = j + 1 + threadIdx.x; i < m; i += blockDim.x)
      below += w[i * n + j] * w[i * n + j];
    below = sum_of_block(below);
    const T top = w[j * n + j];
    T length = top, tau = 0, scale = 0;
    if (below > (T)0 || !is_finite(below)) {
      length = root(top * top + below);
      if (top >= (T)0) length = -length;
      tau = (length - top) / length;
      scale = (T)1 / (top - length);
    }
    __syncthreads();
    share(m - j, [&](long long i) {
      T& at = w[(j + i) * n + j];
      at = i == 0 ? length : at * scale;
      if (i == 0) taus[j] = tau;
    });
    reflect(w, n, tau, j, m, w, n, (int)j + 1);
  }
}

template <class T>
KERNEL void qr(const T* x, T* work, T* taus, T* q, T* r, int m, int n, int k) {
  const long long size = (long long)m * n;
  const int count = m < n ? m : n;
  x += blockIdx.x * size;
  work += blockIdx.x * size;
  taus += blockIdx.x * (long long)count;
  q += blockIdx.x * (long long)m * k;
  r += blockIdx.x * (long long)k * n;
  share(size, [&](long long i) { work[i] = x[i]; });
  decompose_qr(work, taus, m, n);
  share((long long)k * n, [&](long long i) { r[i] = i % n >= i / n ? work[i] : (T)0; });
  share((long long)m * k, [&](long long i) { q[i] = i / k == i % k ? (T)1 : (T)0; });
  for (int j = count - 1; j >= 0; --j) reflect(work, n, taus[j], j, m, q, k, j);
}

// ---- rotations -------------------------------------------------------------------------------

// In round r of n - 1, or n if that is odd, pair i of those that n columns make: each meets each
// other once. One of a pair may be n, which is none.
struct Pair {
  int p, q;
};
DEVICE Pair pair_of(int i, int round, int n) {
  const int even = n + n % 2;
  const auto at = [&](int place) { return place == 0 ? 0 : 1 + (place - 1 + round) % (even - 1); };
  const int a = at(i), b = at(even - 1 - i);
  return a < b ? Pair{a, b} : Pair{b, a};
}

// The rotation that makes 0 of `both`, given what stands on the diagonal.
template <class T>
struct Rotation {
  T c, s;
};
template <class T>
DEVICE Rotation<T> rotation_of(T first, T second, T both) {
  if (both == (T)0) return {1, 0};
  const T theta = (second - first) / ((T)2 * both);
  const T t = (theta >= (T)0 ? (T)1 : (T)-1) / (op_abs(theta) + root(theta * theta + (T)1));
  const T c = (T)1 / root(t * t + (T)1);
  return {c, t * c};
}
template <class T>
DEVICE void rotate(const Rotation<T>& by, T& x, T& y) {
  const T before = x;
  x = by.c * before - by.s * y;
  y = by.s * before + by.c * y;
}

constexpr int kMostSweeps = 40;  // they are some ten

// Makes `a`, which is symmetric, diagonal, and the columns of v its vectors. `turns` is room for a
// rotation for each pair.
template <class T>
DEVICE void make_diagonal(T* a, T* v, Rotation<T>* turns, int n) {
  const int pairs = (n + 1) / 2, rounds = n + n % 2 - 1;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    T beside = 0, all = 0;
    for (long long i = threadIdx.x; i < (long long)n * n; i += blockDim.x) {
      all += a[i] * a[i];
      if (i / n != i % n) beside += a[i] * a[i];
    }
    all = sum_of_block(all);
    beside = sum_of_block(beside);
    if (!(beside > Precision<T>::kStep * Precision<T>::kStep * (T)n * all)) return;
    for (int round = 0; round < rounds; ++round) {
      share(pairs, [&](long long i) {
        const Pair at = pair_of((int)i, round, n);
        const long long p = at.p, q = at.q;
        turns[i] =
            q == n ? Rotation<T>{1, 0} : rotation_of(a[p * n + p], a[q * n + q], a[p * n + q]);
      });
      share((long long)pairs * n, [&](long long i) {
        const Pair at = pair_of((int)(i / n), round, n);
        const long long k = i % n;
        if (at.q < n) rotate(turns[i / n], a[(long long)at.p * n + k], a[(long long)at.q * n + k]);
      });
      share((long long)pairs * n, [&](long long i) {
        const Pair at = pair_of((int)(i / n), round, n);
        const long long row = i % n * n;
        if (at.q == n) return;
        rotate(turns[i / n], a[row + at.p], a[row + at.q]);
        rotate(turns[i / n], v[row + at.p], v[row + at.q]);
      });
    }
  }
}

// The place of value i among n, in rising order; equal ones keep theirs.
template <class T>
DEVICE int place_of(const T* values, long long step, long long i, int n) {
  int place = 0;
  for (long long j = 0; j < n; ++j)
    place += values[j * step] < values[i * step] || (values[j * step] == values[i * step] && j < i);
  return place;
}

// v_out is null if only the values are wanted.
template <class T>
KERNEL void eigh(const T* x, T* work, T* vectors, Rotation<T>* turns, int* places, T* e, T* v_out,
                 int n) {
  const long long size = (long long)n * n;
  x += blockIdx.x * size;
  work += blockIdx.x * size;
  vectors += blockIdx.x * size;
  places += blockIdx.x * (long long)n;
  e += blockIdx.x * (long long)n;
  share(size, [&](long long i) {
    const long long row = i / n, column = i % n;
    work[i] = row >= column ? x[i] : x[column * n + row];
    vectors[i] = row == column ? (T)1 : (T)0;
  });
  make_diagonal(work, vectors, turns + blockIdx.x * (long long)((n + 1) / 2), n);
  share(n, [&](long long i) { e[i] = work[i * n + i]; });  // NaN have no place
  share(n, [&](long long i) {
    places[i] = place_of(work, n + 1, i, n);
    e[places[i]] = work[i * n + i];
  });
  if (v_out == nullptr) return;
  v_out += blockIdx.x * size;
  share(size, [&](long long i) { v_out[i] = vectors[i]; });
  share(size, [&](long long i) { v_out[i / n * n + places[i % n]] = vectors[i]; });
}

// Makes the columns of u: [m, n] orthogonal, a pair a warp, and those of v: [n, n] what they are
// made of.
template <class T>
DEVICE void make_orthogonal(T* u, T* v, int m, int n) {
  const int pairs = (n + 1) / 2, rounds = n + n % 2 - 1;
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const auto plus = [](T a, T b) { return a + b; };
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    int turned = 0;
    for (int round = 0; round < rounds; ++round) {
      for (int i = threadIdx.x / 32; i < pairs; i += warps) {
        const Pair at = pair_of(i, round, n);
        if (at.q == n) continue;
        T first = 0, second = 0, both = 0;
        for (long long k = lane; k < m; k += 32) {
          const T x = u[k * n + at.p], y = u[k * n + at.q];
          first += x * x;
          second += y * y;
          both += x * y;
        }
        first = join_warp(first, plus);
        second = join_warp(second, plus);
        both = join_warp(both, plus);
        if (!(op_abs(both) > Precision<T>::kStep * root(first) * root(second))) continue;
        turned = 1;
        const Rotation<T> by = rotation_of(first, second, both);
        for (long long k = lane; k < m; k += 32) rotate(by, u[k * n + at.p], u[k * n + at.q]);
        for (long long k = lane; k < n; k += 32) rotate(by, v[k * n + at.p], v[k * n + at.q]);
      }
      __syncthreads();
    }
    if (most_of_block(turned) == 0) return;
  }
}

// The columns of `from`: [rows, n] at their places, divided by their lengths,
// in z: [rows, columns]. Those whose length is next to nothing, and those beyond n, become what is
// at right angles to the others. w: room for [rows, n], taus: for n.
template <class T>
DEVICE void put_directions(const T* from, const T* lengths, const int* places, int rows, int n,
                           T* z, int columns, T* w, T* taus) {
  T longest = 0;
  for (long long j = 0; j < n; ++j) longest = lengths[j] > longest ? lengths[j] : longest;
  const T least = longest * Precision<T>::kStep * (T)rows;
  int count = 0;  // those that are longer come first
  for (long long j = 0; j < n; ++j) count += lengths[j] > least;
  share((long long)rows * n, [&](long long i) {
    const long long row = i / n, j = i % n, place = places[j];
    const T value = place < count ? from[i] / lengths[j] : (T)0;
    w[row * n + place] = value;
    if (place < count) z[row * columns + place] = value;
  });
  if (count == columns) return;
  decompose_qr(w, taus, rows, n);
  share((long long)rows * columns, [&](long long i) {
    if (i % columns >= count) z[i] = i / columns == i % columns ? (T)1 : (T)0;
  });
  for (int j = (rows < n ? rows : n) - 1; j >= 0; --j)
    reflect(w, n, taus[j], j, rows, z, columns, count);
}

// Matrices of which a side is longer than the other, or as long: [rows, n], or transposed if they
// are wide. `across` is [rows, across_columns], `along` [n, n]; null if only s is wanted.
template <class T>
KERNEL void svd(const T* x, T* u, T* v, T* w, T* lengths, T* taus, int* places, T* s, T* across,
                T* along, int rows, int n, int across_columns, int wide) {
  const long long size = (long long)rows * n, square = (long long)n * n;
  x += blockIdx.x * size;
  u += blockIdx.x * size;
  v += blockIdx.x * square;
  w += blockIdx.x * size;
  lengths += blockIdx.x * (long long)n;
  taus += blockIdx.x * (long long)n;
  places += blockIdx.x * (long long)n;
  s += blockIdx.x * (long long)n;
  int bad = 0;
  for (long long i = threadIdx.x; i < size; i += blockDim.x) bad |= !is_finite(x[i]);
  bad = most_of_block(bad);
  share(size, [&](long long i) { u[i] = wide ? x[i % n * rows + i / n] : x[i]; });
  share(square, [&](long long i) { v[i] = i / n == i % n ? (T)1 : (T)0; });
  if (!bad) make_orthogonal(u, v, rows, n);
  share(n, [&](long long j) {
    T sum = 0;
    for (long long i = 0; i < rows; ++i) sum += u[i * n + j] * u[i * n + j];
    lengths[j] = bad ? (T)0 / (sum - sum) : root(sum);
  });
  share(n, [&](long long j) {
    // The longest first; those of equal length, and NaN, in their order.
    int place = 0;
    for (long long i = 0; i < n; ++i)
      place += lengths[i] > lengths[j] || (!(lengths[i] < lengths[j]) && i < j);
    places[j] = place;
    s[place] = lengths[j];
  });
  if (across == nullptr) return;
  across += blockIdx.x * (long long)rows * across_columns;
  along += blockIdx.x * square;
  if (bad) {
    share((long long)rows * across_columns, [&](long long i) { across[i] = lengths[0]; });
    share(square, [&](long long i) { along[i] = lengths[0]; });
    return;
  }
  share(square, [&](long long i) { along[i / n * n + places[i % n]] = v[i]; });
  put_directions(u, lengths, places, rows, n, across, across_columns, w, taus);
}
