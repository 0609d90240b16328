// Decompositions of row-major matrices, of which a block has one. What is a function here is called
// by all threads of a block, and ends with a barrier: what it wrote is seen by the next. Steps wait
// for memory and for one another far more than they compute: matrices are worked on in shared
// memory where they fit in, and what all need to know, such as a pivot, every warp finds by itself.

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

// ---- rooms -----------------------------------------------------------------------------------

// Rows lie an odd number of elements apart, so that a column's are in different banks.
DEVICE int step_of(int columns) { return columns | 1; }

template <class T>
struct MatrixRoom {
  T* at;
  int step;
  __device__ __forceinline__ T& operator()(int row, int column) const {
    return at[row * step + column];
  }
};

// What a block works in, handed out piece by piece: shared memory, or its part of `scratch`. The
// host adds up the same pieces.
template <bool kShared>
struct Rooms {
  unsigned char* scratch;
  long long bytes;  // of a block
  long long taken;  // 0 at first

  template <class T>
  __device__ __forceinline__ T* elements(int count) {
    SHARED_BYTES(shared);
    const long long at = taken;
    taken += ((long long)count * sizeof(T) + 15) / 16 * 16;
    if constexpr (kShared) {
      return (T*)(shared + at);
    } else {
      return (T*)(scratch + blockIdx.x * bytes + at);
    }
  }
  template <class T>
  __device__ __forceinline__ MatrixRoom<T> matrix(int rows, int columns) {
    return {elements<T>(rows * step_of(columns)), step_of(columns)};
  }
};

// The threads share f(0), …, f(count - 1).
template <class F>
DEVICE void share(int count, const F& f) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) f(i);
  __syncthreads();
}

// f(row, column) of all elements; neighbours have columns that are neighbours. A warp has one row,
// or several that are short. Without a barrier.
template <class F>
DEVICE void for_each(int rows, int columns, const F& f) {
  const int bits = columns > 16 ? 5 : 32 - __clz(max(columns, 1) - 1);
  const int width = 1 << bits;
  for (int row = threadIdx.x >> bits; row < rows; row += blockDim.x >> bits)
    for (int column = threadIdx.x & (width - 1); column < columns; column += width) f(row, column);
}
template <class F>
DEVICE void share(int rows, int columns, const F& f) {
  for_each(rows, columns, f);
  __syncthreads();
}

// This block's of the matrices at x.
template <class T>
DEVICE T* own_of(T* x, int rows, int columns) {
  return x + (long long)blockIdx.x * rows * columns;
}
template <class T>
DEVICE void copy_in(const MatrixRoom<T>& to, const T* from, int rows, int columns) {
  share(rows, columns, [&](int row, int c) { to(row, c) = from[row * columns + c]; });
}
template <class T>
DEVICE void copy_out(T* to, const MatrixRoom<T>& from, int rows, int columns) {
  share(rows, columns, [&](int row, int c) { to[row * columns + c] = from(row, c); });
}

template <class T>
KERNEL void identity(T* x, int rows, int columns) {
  x = own_of(x, rows, columns);
  share(rows, columns, [&](int row, int c) { x[row * columns + c] = row == c ? (T)1 : (T)0; });
}

// ---- triangles -------------------------------------------------------------------------------

// Of a matrix that is not positive definite NaN. Columns are divided by their pivots in the end
// only: so a step has one barrier.
template <class T, bool kShared>
KERNEL void BOUNDS(512) cholesky(Rooms<kShared> rooms, const T* x, T* y, int n) {
  const MatrixRoom<T> a = rooms.template matrix<T>(n, n);
  copy_in(a, own_of(x, n, n), n, n);
  for (int j = 0; j < n; ++j) {
    const T inverse = (T)1 / root(a(j, j));
    const int first = j + 1, rest = n - first;
    share(rest, rest, [&](int row, int c) {
      if (c <= row)
        a(first + row, first + c) -= a(first + row, j) * inverse * (a(first + c, j) * inverse);
    });
  }
  y = own_of(y, n, n);
  share(n, n, [&](int row, int c) {
    const T pivot = root(a(c, c));
    y[row * n + c] = c < row ? a(row, c) / pivot : c == row ? pivot : (T)0;
  });
}

// One triangle of a matrix, as it is or transposed; unit: with ones for its diagonal.
struct Triangle {
  bool lower, transposed, unit;
};

// x: [n, k], what is wanted of the triangle times it; then the solution.
template <class T>
DEVICE void substitute(const MatrixRoom<T>& a, const MatrixRoom<T>& x, int n, int k,
                       const Triangle& triangle) {
  const bool forward = triangle.lower != triangle.transposed;
  const auto divided = [&](T value, int i) { return triangle.unit ? value : value / a(i, i); };
  share(k, [&](int c) {
    const int first = forward ? 0 : n - 1;
    x(first, c) = divided(x(first, c), first);
  });
  for (int step = 0; step < n - 1; ++step) {
    const int i = forward ? step : n - 1 - step;
    share(n - 1 - step, k, [&](int beyond, int c) {
      const int row = forward ? i + 1 + beyond : i - 1 - beyond;
      const T value = x(row, c) - (triangle.transposed ? a(i, row) : a(row, i)) * x(i, c);
      x(row, c) = beyond == 0 ? divided(value, row) : value;  // the next step's is complete
    });
  }
}

template <class T, bool kShared>
KERNEL void BOUNDS(512) triangular_solve(Rooms<kShared> rooms, const T* a, const T* b, T* y, int n,
                                         int k, int lower, int adjoint) {
  const MatrixRoom<T> triangle = rooms.template matrix<T>(n, n), x = rooms.template matrix<T>(n, k);
  copy_in(triangle, own_of(a, n, n), n, n);
  copy_in(x, own_of(b, n, k), n, k);
  substitute(triangle, x, n, k, {lower != 0, adjoint != 0, false});
  copy_out(own_of(y, n, k), x, n, k);
}

// L and U in one matrix. Row i of their product is row p[i] of what the matrix was.
template <class T>
struct Factors {
  MatrixRoom<T> a;
  int* p;
  T *top, *left;  // row and column of a step, which are written as they are read

  template <bool kShared>
  __device__ __forceinline__ Factors(Rooms<kShared>& rooms, int n)
      : a(rooms.template matrix<T>(n, n)),
        p(rooms.template elements<int>(n)),
        top(rooms.template elements<T>(n)),
        left(rooms.template elements<T>(n)) {}
};

// The row from j on that has the largest number in column j, the first of them; j if all are NaN.
template <class T>
DEVICE int pivot_row(const MatrixRoom<T>& a, int j, int n) {
  T most = -1;
  int row = n;
  for (int i = j + threadIdx.x % 32; i < n; i += 32) {
    const T size = op_abs(a(i, j));
    if (size > most) {
      most = size;
      row = i;
    }
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    const T other = __shfl_xor_sync(0xffffffffu, most, mask);
    const int there = __shfl_xor_sync(0xffffffffu, row, mask);
    if (other > most || (other == most && there < row)) {
      most = other;
      row = there;
    }
  }
  return row == n ? j : row;
}

// Returns how many rows have changed places.
template <class T>
DEVICE int decompose_lu(const Factors<T>& lu, int n) {
  const MatrixRoom<T>& a = lu.a;
  int swaps = 0;
  share(n, [&](int i) { lu.p[i] = i; });
  for (int j = 0; j < n; ++j) {
    const int pivot_at = pivot_row(a, j, n), first = j + 1, rest = n - first;
    const bool moves = pivot_at != j;
    const T pivot = a(pivot_at, j);
    const bool zero = pivot == (T)0;  // as is all below it
    swaps += moves;
    share(n, [&](int i) {
      lu.top[i] = a(pivot_at, i);
      if (i <= j) return;
      const T below = a(i == pivot_at ? j : i, j);
      lu.left[i] = zero ? below : below / pivot;
    });
    if (threadIdx.x == 0 && moves) {
      const int position = lu.p[j];
      lu.p[j] = lu.p[pivot_at];
      lu.p[pivot_at] = position;
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      if (i > j) {
        a(i, j) = lu.left[i];
      } else if (moves) {
        if (i < j) a(pivot_at, i) = a(j, i);
        a(j, i) = lu.top[i];
      }
    }
    share(rest, rest, [&](int below, int beside) {
      const int row = first + below, c = first + beside;
      const T value = a(row == pivot_at ? j : row, c);
      if (row == pivot_at) a(j, c) = lu.top[c];
      a(row, c) = zero ? value : value - lu.left[row] * lu.top[c];
    });
  }
  return swaps;
}

template <class T, bool kShared>
KERNEL void BOUNDS(512) lu(Rooms<kShared> rooms, const T* x, T* y, int* p, int n) {
  const Factors<T> factors(rooms, n);
  copy_in(factors.a, own_of(x, n, n), n, n);
  decompose_lu(factors, n);
  copy_out(own_of(y, n, n), factors.a, n, n);
  share(n, [&](int i) { own_of(p, n, 1)[i] = factors.p[i]; });
}

// `log` is null if it is the determinant that is wanted, and not its sign and logarithm.
template <class T, bool kShared>
KERNEL void BOUNDS(512) determinant(Rooms<kShared> rooms, const T* x, T* result, T* log, int n) {
  const Factors<T> factors(rooms, n);
  copy_in(factors.a, own_of(x, n, n), n, n);
  const int swaps = decompose_lu(factors, n);
  if (threadIdx.x != 0) return;
  T product = swaps % 2 == 0 ? 1 : -1, sum = 0;
  for (int i = 0; i < n; ++i) {
    const T pivot = factors.a(i, i);
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

// b is null for the inverse.
template <class T, bool kShared>
KERNEL void BOUNDS(512)
    solve(Rooms<kShared> rooms, const T* a, const T* b, T* y, int n, int k, int adjoint) {
  const Factors<T> factors(rooms, n);
  const MatrixRoom<T> x = rooms.template matrix<T>(n, k);
  copy_in(factors.a, own_of(a, n, n), n, n);
  decompose_lu(factors, n);
  share(n, k, [&](int i, int c) {
    const int row = adjoint ? i : factors.p[i];
    x(i, c) = b != nullptr ? own_of(b, n, k)[row * k + c] : row == c ? (T)1 : (T)0;
  });
  substitute(factors.a, x, n, k, {!adjoint, adjoint != 0, !adjoint});
  substitute(factors.a, x, n, k, {adjoint != 0, adjoint != 0, adjoint != 0});
  share(n, k,
        [&](int i, int c) { own_of(y, n, k)[(adjoint ? factors.p[i] : i) * k + c] = x(i, c); });
}

// ---- the exponential -------------------------------------------------------------------------

// A thread has some rows of a column: the same element of b is for all of them.
template <class T>
DEVICE void multiply(const MatrixRoom<T>& a, const MatrixRoom<T>& b, const MatrixRoom<T>& c,
                     int n) {
  constexpr int kRows = 4;
  share((n + kRows - 1) / kRows, n, [&](int group, int column) {
    const int first = group * kRows;
    T sums[kRows] = {};
    for (int k = 0; k < n; ++k) {
      const T factor = b(k, column);
#pragma unroll
      for (int i = 0; i < kRows; ++i) sums[i] += a(min(first + i, n - 1), k) * factor;
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i)
      if (first + i < n) c(first + i, column) = sums[i];
  });
}

// By Padé's approximation of degree 13 of a matrix that was halved until it is small, squared as
// often.
template <class T, bool kShared>
KERNEL void BOUNDS(512) expm(Rooms<kShared> rooms, const T* x, T* y, int n) {
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
  const Factors<T> below(rooms, n);
  MatrixRoom<T> a = rooms.template matrix<T>(n, n), odd = rooms.template matrix<T>(n, n);
  const MatrixRoom<T> a2 = rooms.template matrix<T>(n, n), a4 = rooms.template matrix<T>(n, n),
                      a6 = rooms.template matrix<T>(n, n), even = below.a;
  copy_in(a, own_of(x, n, n), n, n);
  T norm = 0;
  for (int c = threadIdx.x; c < n; c += blockDim.x) {
    T sum = 0;
    for (int i = 0; i < n; ++i) sum += op_abs(a(i, c));
    norm = sum > norm || !is_finite(sum) ? sum : norm;
  }
  norm = most_of_block(norm);
  int halvings = 0;
  T scale = 1;
  for (; is_finite(norm) && norm * scale > (T)5.37; ++halvings) scale /= 2;
  share(n, n, [&](int i, int c) { a(i, c) *= scale; });
  multiply(a, a, a2, n);
  multiply(a2, a2, a4, n);
  multiply(a2, a4, a6, n);
  const auto sum_of = [&](int i, int c, int first, bool ones) {
    return b[first + 4] * a6(i, c) + b[first + 2] * a4(i, c) + b[first] * a2(i, c) +
           (ones && i == c ? b[first - 2] : (T)0);
  };
  share(n, n, [&](int i, int c) { odd(i, c) = sum_of(i, c, 9, false); });
  multiply(a6, odd, even, n);
  share(n, n, [&](int i, int c) { even(i, c) += sum_of(i, c, 3, true); });
  multiply(a, even, odd, n);
  share(n, n, [&](int i, int c) { a(i, c) = sum_of(i, c, 8, false); });
  multiply(a6, a, even, n);
  share(n, n, [&](int i, int c) {
    const T value = even(i, c) + sum_of(i, c, 2, true);
    a2(i, c) = value + odd(i, c);
    even(i, c) = value - odd(i, c);
  });
  decompose_lu(below, n);
  share(n, n, [&](int i, int c) { a(i, c) = a2(below.p[i], c); });
  substitute(below.a, a, n, n, {true, false, true});
  substitute(below.a, a, n, n, {false, false, false});
  for (; halvings > 0; --halvings) {
    multiply(a, a, odd, n);
    const MatrixRoom<T> squared = odd;
    odd = a;
    a = squared;
  }
  copy_out(own_of(y, n, n), a, n, n);
}
