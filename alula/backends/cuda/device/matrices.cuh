// Decompositions of row-major matrices, of which a block has one. What is a function here is called
// by all threads of a block, and ends with a barrier: what it wrote is seen by the next.

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
