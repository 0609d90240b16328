// Decompositions of row-major matrices, of which a block has one. What is a function here is called
// by all threads of a block, and ends with a barrier: what it wrote is seen by the next.

template <class T>
struct Precision {
  static constexpr T kStep = 1.1920929e-7f;  // from 1 to the next number
};
template <>
struct Precision<double> {
  static constexpr double kStep = 2.220446049250313e-16;
};

DEVICE float root(float x) { return sqrtf(x); }
DEVICE double root(double x) { return sqrt(x); }
DEVICE float natural_log(float x) { return logf(x); }
DEVICE double natural_log(double x) { return log(x); }
template <class T>
DEVICE bool is_finite(T x) {
  return x - x == (T)0;
}

template <class T>
DEVICE T sum_of_block(T x) {
  __shared__ T room[32];
  return join_block(x, (T)0, room, [](T a, T b) { return a + b; });
}
template <class T>
DEVICE T most_of_block(T x) {
  __shared__ T room[32];
  return join_block(x, x, room, [](T a, T b) { return a > b ? a : b; });
}

// The threads share f(0), …, f(count - 1).
template <class F>
DEVICE void share(long long count, const F& f) {
  for (long long i = threadIdx.x; i < count; i += blockDim.x) f(i);
  __syncthreads();
}

template <class T>
KERNEL void identity(T* x, int rows, int columns) {
  x += blockIdx.x * (long long)rows * columns;
  share((long long)rows * columns,
        [&](long long i) { x[i] = i / columns == i % columns ? (T)1 : (T)0; });
}

// ---- triangles -------------------------------------------------------------------------------

// Of a matrix that is not positive definite NaN.
template <class T>
KERNEL void cholesky(const T* x, T* y, int n) {
  const long long size = (long long)n * n;
  x += blockIdx.x * size;
  y += blockIdx.x * size;
  share(size, [&](long long i) { y[i] = i % n <= i / n ? x[i] : (T)0; });
  for (long long j = 0; j < n; ++j) {
    const T pivot = root(y[j * n + j]);
    const long long rest = n - j - 1;
    __syncthreads();
    share(rest + 1, [&](long long i) {
      T& at = y[(j + i) * n + j];
      at = i == 0 ? pivot : at / pivot;
    });
    share(rest * rest, [&](long long i) {
      const long long row = j + 1 + i / rest, column = j + 1 + i % rest;
      if (column <= row) y[row * n + column] -= y[row * n + j] * y[column * n + j];
    });
  }
}

// One triangle of a matrix, as it is or transposed; unit: with ones for its diagonal.
struct Triangle {
  bool lower, transposed, unit;
};

// x: [n, k], what is wanted of the triangle times it; then the solution.
template <class T>
DEVICE void substitute(const T* a, T* x, int n, int k, const Triangle& triangle) {
  const bool forward = triangle.lower != triangle.transposed;
  for (int step = 0; step < n; ++step) {
    const long long i = forward ? step : n - 1 - step;
    if (!triangle.unit) share(k, [&](long long c) { x[i * k + c] /= a[i * n + i]; });
    share((long long)(n - 1 - step) * k, [&](long long at) {
      const long long row = forward ? i + 1 + at / k : i - 1 - at / k, c = at % k;
      x[row * k + c] -= (triangle.transposed ? a[i * n + row] : a[row * n + i]) * x[i * k + c];
    });
  }
}

template <class T>
KERNEL void triangular_solve(const T* a, const T* b, T* x, int n, int k, int lower, int adjoint) {
  const long long size = (long long)n * k;
  a += blockIdx.x * (long long)n * n;
  b += blockIdx.x * size;
  x += blockIdx.x * size;
  share(size, [&](long long i) { x[i] = b[i]; });
  substitute(a, x, n, k, {lower != 0, adjoint != 0, false});
}

// Row i of L U is row p[i] of what `a` was. Returns how many rows have changed places.
template <class T>
DEVICE int decompose_lu(T* a, int* p, int n) {
  int swaps = 0;
  share(n, [&](long long i) { p[i] = (int)i; });
  for (long long j = 0; j < n; ++j) {
    T most = -1;
    for (long long i = j + threadIdx.x; i < n; i += blockDim.x) {
      const T own = op_abs(a[i * n + j]);
      if (own > most) most = own;
    }
    most = most_of_block(most);
    int before = 0;  // n less the first row that has it; 0: none, it is NaN
    for (long long i = j + threadIdx.x; i < n; i += blockDim.x)
      if (before == 0 && op_abs(a[i * n + j]) == most) before = n - (int)i;
    before = most_of_block(before);
    const long long row = before == 0 ? j : n - before;
    if (row != j) {
      ++swaps;
      share(n, [&](long long c) {
        const T other = a[row * n + c];
        a[row * n + c] = a[j * n + c];
        a[j * n + c] = other;
        if (c == 0) {
          const int position = p[row];
          p[row] = p[j];
          p[j] = position;
        }
      });
    }
    const T pivot = a[j * n + j];
    const long long rest = n - j - 1;
    if (pivot == (T)0) continue;  // as is all below it
    share(rest, [&](long long i) { a[(j + 1 + i) * n + j] /= pivot; });
    share(rest * rest, [&](long long i) {
      const long long r = j + 1 + i / rest, c = j + 1 + i % rest;
      a[r * n + c] -= a[r * n + j] * a[j * n + c];
    });
  }
  __syncthreads();
  return swaps;
}

template <class T>
KERNEL void lu(const T* x, T* y, int* p, int n) {
  const long long size = (long long)n * n;
  x += blockIdx.x * size;
  y += blockIdx.x * size;
  share(size, [&](long long i) { y[i] = x[i]; });
  decompose_lu(y, p + blockIdx.x * (long long)n, n);
}

// `log` is null if it is the determinant that is wanted, and not its sign and logarithm.
template <class T>
KERNEL void determinant(const T* x, T* work, int* p, T* result, T* log, int n) {
  const long long size = (long long)n * n;
  x += blockIdx.x * size;
  work += blockIdx.x * size;
  share(size, [&](long long i) { work[i] = x[i]; });
  const int swaps = decompose_lu(work, p + blockIdx.x * (long long)n, n);
  if (threadIdx.x != 0) return;
  T product = swaps % 2 == 0 ? 1 : -1, sum = 0;
  for (long long i = 0; i < n; ++i) {
    const T pivot = work[i * n + i];
    if (log == nullptr) {
      product *= pivot;
    } else {
      product = pivot == (T)0 ? (T)0 : pivot < (T)0 ? -product : product;
      sum += natural_log(op_abs(pivot));
    }
  }
  result[blockIdx.x] = product;
  if (log != nullptr) log[blockIdx.x] = sum;
}

// x: [n, k] from b, or from ones on a diagonal if b is null. y: room for as much if kAdjoint.
template <class T, bool kAdjoint>
DEVICE void solve_by_lu(T* work, int* p, const T* b, T* x, T* y, int n, int k) {
  const auto wanted = [&](long long row, long long c) {
    return b != nullptr ? b[row * k + c] : row == c ? (T)1 : (T)0;
  };
  decompose_lu(work, p, n);
  const long long size = (long long)n * k;
  if constexpr (kAdjoint) {
    share(size, [&](long long i) { y[i] = wanted(i / k, i % k); });
    substitute(work, y, n, k, {false, true, false});
    substitute(work, y, n, k, {true, true, true});
    share(size, [&](long long i) { x[(long long)p[i / k] * k + i % k] = y[i]; });
  } else {
    share(size, [&](long long i) { x[i] = wanted(p[i / k], i % k); });
    substitute(work, x, n, k, {true, false, true});
    substitute(work, x, n, k, {false, false, false});
  }
}

template <class T, bool kAdjoint>
KERNEL void solve(const T* a, const T* b, T* x, T* work, T* y, int* p, int n, int k) {
  const long long size = (long long)n * n, each = (long long)n * k;
  a += blockIdx.x * size;
  work += blockIdx.x * size;
  share(size, [&](long long i) { work[i] = a[i]; });
  solve_by_lu<T, kAdjoint>(work, p + blockIdx.x * (long long)n,
                           b == nullptr ? nullptr : b + blockIdx.x * each, x + blockIdx.x * each,
                           y == nullptr ? nullptr : y + blockIdx.x * each, n, k);
}

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

// The columns of `from`: [rows, n] at their places, divided by their length if `lengths` are given,
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

// ---- the exponential -------------------------------------------------------------------------

template <class T>
DEVICE void multiply(const T* a, const T* b, T* c, int n) {
  share((long long)n * n, [&](long long i) {
    const long long row = i / n * n, column = i % n;
    T sum = 0;
    for (long long k = 0; k < n; ++k) sum += a[row + k] * b[k * n + column];
    c[i] = sum;
  });
}

// By Padé's approximation of degree 13 of a matrix that was halved until it is small, squared as
// often. work: room for seven matrices.
template <class T>
KERNEL void expm(const T* x, T* y, T* work, int* p, int n) {
  const T b[] = {(T)64764752532480000.0,
                 (T)32382376266240000.0,
                 (T)7771770303897600.0,
                 (T)1187353796428800.0,
                 (T)129060195264000.0,
                 (T)10559470521600.0,
                 (T)670442572800.0,
                 (T)33522128640.0,
                 (T)1323241920.0,
                 (T)40840800.0,
                 (T)960960.0,
                 (T)16380.0,
                 (T)182.0,
                 (T)1.0};
  const long long size = (long long)n * n;
  x += blockIdx.x * size;
  y += blockIdx.x * size;
  work += blockIdx.x * 7 * size;
  p += blockIdx.x * (long long)n;
  T *a = work, *a2 = a + size, *a4 = a2 + size, *a6 = a4 + size, *odd = a6 + size,
    *even = odd + size, *room = even + size;
  T norm = 0;
  for (long long c = threadIdx.x; c < n; c += blockDim.x) {
    T sum = 0;
    for (long long i = 0; i < n; ++i) sum += op_abs(x[i * n + c]);
    norm = sum > norm || !is_finite(sum) ? sum : norm;
  }
  norm = most_of_block(norm);
  int halvings = 0;
  T scale = 1;
  for (; is_finite(norm) && norm * scale > (T)5.37; ++halvings) scale /= 2;
  share(size, [&](long long i) { a[i] = x[i] * scale; });
  multiply(a, a, a2, n);
  multiply(a2, a2, a4, n);
  multiply(a2, a4, a6, n);
  const auto sum_of = [&](long long i, int first, bool ones) {
    return b[first + 4] * a6[i] + b[first + 2] * a4[i] + b[first] * a2[i] +
           (ones && i / n == i % n ? b[first - 2] : (T)0);
  };
  share(size, [&](long long i) { room[i] = sum_of(i, 9, false); });
  multiply(a6, room, even, n);
  share(size, [&](long long i) { even[i] += sum_of(i, 3, true); });
  multiply(a, even, odd, n);
  share(size, [&](long long i) { room[i] = sum_of(i, 8, false); });
  multiply(a6, room, even, n);
  share(size, [&](long long i) {
    const T value = even[i] + sum_of(i, 2, true);
    a2[i] = value + odd[i];
    a4[i] = value - odd[i];
  });
  solve_by_lu<T, false>(a4, p, a2, y, (T*)nullptr, n, n);
  for (; halvings > 0; --halvings) {
    share(size, [&](long long i) { a[i] = y[i]; });
    multiply(a, a, y, n);
  }
}
