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

template <class T>
DEVICE T sum_of_warp(T x) {
  return join_warp(x, [](T a, T b) { return a + b; });
}

// ---- reflections -----------------------------------------------------------------------------

// Reflection j is 1 - tau v v', where v is 1 at j, below it what column j of w: [m, n] has there
// times `scale`, and above it 0. It makes `length` of what w has at j.
template <class T>
struct Reflection {
  T tau, scale, length;
};

// Applies reflection j to column c of z: [m, …], by a warp. A lane has the same rows each time, so
// that it needs to wait for no other.
template <class T>
DEVICE void reflect(const MatrixRoom<T>& w, const Reflection<T>& by, int j, int m,
                    const MatrixRoom<T>& z, int c) {
  const int first = j + (((int)threadIdx.x - j) & 31);
  const auto v = [&](int i) { return i == j ? (T)1 : w(i, j) * by.scale; };
  T sum = 0;
  for (int i = first; i < m; i += 32) sum += v(i) * z(i, c);
  sum = by.tau * sum_of_warp(sum);
  for (int i = first; i < m; i += 32) z(i, c) -= v(i) * sum;
}

// w becomes R above its diagonal; on and below it remain the columns of the reflections.
template <class T>
DEVICE void decompose_qr(const MatrixRoom<T>& w, Reflection<T>* reflections, int m, int n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int j = 0; j < n && j < m; ++j) {
    T below = 0;
    for (int i = j + 1 + lane; i < m; i += 32) below += w(i, j) * w(i, j);
    below = sum_of_warp(below);
    const T top = w(j, j);
    Reflection<T> by{0, 0, top};
    if (below > (T)0 || !is_finite(below)) {
      by.length = root(top * top + below);
      if (top >= (T)0) by.length = -by.length;
      by.tau = (by.length - top) / by.length;
      by.scale = (T)1 / (top - by.length);
    }
    if (threadIdx.x == 0) reflections[j] = by;
    for (int c = j + 1 + warp; c < n; c += warps) reflect(w, by, j, m, w, c);
    __syncthreads();
  }
}

// The columns of z: [m, columns] from `first` on become those of the product of all reflections.
template <class T>
DEVICE void multiply_reflections(const MatrixRoom<T>& w, const Reflection<T>* reflections,
                                 int count, int m, const MatrixRoom<T>& z, int first, int columns) {
  for_each(m, columns - first,
           [&](int row, int c) { z(row, first + c) = row == first + c ? (T)1 : (T)0; });
  __syncthreads();
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int c = first + warp; c < columns; c += warps)  // the others leave it as it is
    for (int j = min(c, count - 1); j >= 0; --j) reflect(w, reflections[j], j, m, z, c);
  __syncthreads();
}

template <class T, bool kShared>
KERNEL void BOUNDS(1024) qr(Rooms<kShared> rooms, const T* x, T* q, T* r, int m, int n, int k) {
  const int count = min(m, n);
  const MatrixRoom<T> w = rooms.template matrix<T>(m, n), z = rooms.template matrix<T>(m, k);
  Reflection<T>* const reflections = rooms.template elements<Reflection<T>>(count);
  copy_in(w, own_of(x, m, n), m, n);
  decompose_qr(w, reflections, m, n);
  share(k, n, [&](int i, int c) {
    own_of(r, k, n)[i * n + c] = c > i ? w(i, c) : c == i ? reflections[i].length : (T)0;
  });
  multiply_reflections(w, reflections, count, m, z, 0, k);
  copy_out(own_of(q, m, k), z, m, k);
}

// ---- rotations -------------------------------------------------------------------------------

// In round r of n - 1, pair i of the n / 2 that n columns make, an even number: each meets each
// other once.
struct Pair {
  int p, q;
};
DEVICE Pair pair_of(int i, int round, int n) {
  const auto at = [&](int place) {
    const int turned = place + round;
    return place == 0 ? 0 : turned < n ? turned : turned - (n - 1);
  };
  const int a = at(i), b = at(n - 1 - i);
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
DEVICE void rotate(Rotation<T> by, T& x, T& y) {
  const T first = x, second = y;
  x = by.c * first - by.s * second;
  y = by.s * first + by.c * second;
}

constexpr int kMostSweeps = 40;  // they are some ten

// Makes `a`, which is symmetric, diagonal, and the columns of v: [rows, n] its vectors. n is even;
// `turns` and `ats` are room for each pair.
template <class T>
DEVICE void make_diagonal(const MatrixRoom<T>& a, const MatrixRoom<T>& v, int rows,
                          Rotation<T>* turns, Pair* ats, int n) {
  const int pairs = n / 2;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    T beside = 0, all = 0;
    for_each(n, n, [&](int i, int c) {
      const T square = a(i, c) * a(i, c);
      all += square;
      if (i != c) beside += square;
    });
    all = sum_of_block(all);
    beside = sum_of_block(beside);
    if (!(beside > Precision<T>::kStep * Precision<T>::kStep * (T)n * all)) return;
    for (int round = 0; round < n - 1; ++round) {
      share(pairs, [&](int i) {
        const Pair at = pair_of(i, round, n);
        turns[i] = rotation_of(a(at.p, at.p), a(at.q, at.q), a(at.p, at.q));
        ats[i] = at;
      });
      // Where the rows of a pair meet the columns of one, nothing else is needed.
      for_each(pairs, pairs, [&](int i, int c) {
        const Pair up = ats[i], along = ats[c];
        T pp = a(up.p, along.p), pq = a(up.p, along.q);
        T qp = a(up.q, along.p), qq = a(up.q, along.q);
        rotate(turns[i], pp, qp);
        rotate(turns[i], pq, qq);
        rotate(turns[c], pp, pq);
        rotate(turns[c], qp, qq);
        a(up.p, along.p) = pp;
        a(up.p, along.q) = pq;
        a(up.q, along.p) = qp;
        a(up.q, along.q) = qq;
      });
      share(rows, pairs, [&](int i, int c) { rotate(turns[c], v(i, ats[c].p), v(i, ats[c].q)); });
    }
  }
}

// v_out is null if only the values are wanted. A row and a column of zeros make n even: they stay
// zeros, and nothing is turned by them.
template <class T, bool kShared>
KERNEL void BOUNDS(1024) eigh(Rooms<kShared> rooms, const T* x, T* e, T* v_out, int n) {
  const int even = n + n % 2, rows = v_out == nullptr ? 0 : n;
  const MatrixRoom<T> a = rooms.template matrix<T>(even, even),
                      v = rooms.template matrix<T>(rows, even);
  Rotation<T>* const turns = rooms.template elements<Rotation<T>>(even / 2);
  Pair* const ats = rooms.template elements<Pair>(even / 2);
  int* const places = rooms.template elements<int>(n);
  x = own_of(x, n, n);
  e = own_of(e, n, 1);
  for_each(n, n, [&](int row, int c) {
    if (c <= row) a(row, c) = a(c, row) = x[row * n + c];
  });
  if (even > n) share(even, [&](int i) { a(n, i) = a(i, n) = (T)0; });
  share(rows, even, [&](int row, int c) { v(row, c) = row == c ? (T)1 : (T)0; });
  make_diagonal(a, v, rows, turns, ats, even);
  share(n, [&](int i) { e[i] = a(i, i); });  // NaN have no place
  share(n, [&](int i) {
    // In rising order; equal ones keep theirs.
    int place = 0;
    for (int j = 0; j < n; ++j) place += a(j, j) < a(i, i) || (a(j, j) == a(i, i) && j < i);
    places[i] = place;
    e[place] = a(i, i);
  });
  if (v_out == nullptr) return;
  v_out = own_of(v_out, n, n);
  copy_out(v_out, v, n, n);
  share(n, n, [&](int row, int c) { v_out[row * n + places[c]] = v(row, c); });
}

// Makes the columns of u: [m, n] orthogonal, a pair a warp, and those of v: [v_rows, n] what they
// are made of.
template <class T>
DEVICE void make_orthogonal(const MatrixRoom<T>& u, const MatrixRoom<T>& v, int m, int v_rows,
                            int n) {
  const int even = n + n % 2;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    int turned = 0;
    for (int round = 0; round < even - 1; ++round) {
      for (int i = warp; i < even / 2; i += warps) {
        const Pair at = pair_of(i, round, even);
        if (at.q == n) continue;  // it has no other
        T first = 0, second = 0, both = 0;
        for (int k = lane; k < m; k += 32) {
          const T x = u(k, at.p), y = u(k, at.q);
          first += x * x;
          second += y * y;
          both += x * y;
        }
        first = sum_of_warp(first);
        second = sum_of_warp(second);
        both = sum_of_warp(both);
        if (!(op_abs(both) > Precision<T>::kStep * root(first) * root(second))) continue;
        turned = 1;
        const Rotation<T> by = rotation_of(first, second, both);
        for (int k = lane; k < m; k += 32) rotate(by, u(k, at.p), u(k, at.q));
        for (int k = lane; k < v_rows; k += 32) rotate(by, v(k, at.p), v(k, at.q));
      }
      __syncthreads();
    }
    if (most_of_block(turned) == 0) return;
  }
}

// The columns of u: [rows, n] at their places, divided by their lengths, in z: [rows, columns].
// Those whose length is next to nothing, and those beyond n, become what is at right angles to the
// others. `reflections` is room for n; nothing is left of u.
template <class T>
DEVICE void put_directions(const MatrixRoom<T>& u, const T* lengths, const int* places, int rows,
                           int n, const MatrixRoom<T>& z, int columns, Reflection<T>* reflections) {
  T longest = 0;
  for (int j = 0; j < n; ++j) longest = lengths[j] > longest ? lengths[j] : longest;
  const T least = longest * Precision<T>::kStep * (T)rows;
  int count = 0;  // those that are longer come first
  for (int j = 0; j < n; ++j) count += lengths[j] > least;
  share(rows, n, [&](int row, int j) {
    if (places[j] < count) z(row, places[j]) = u(row, j) / lengths[j];
  });
  if (count == columns) return;
  share(rows, count, [&](int row, int c) { u(row, c) = z(row, c); });
  decompose_qr(u, reflections, rows, count);
  multiply_reflections(u, reflections, count, rows, z, count, columns);
}

// Matrices of which a side is longer than the other, or as long: [rows, n], or transposed if they
// are wide. `across` is [rows, columns], `along` [n, n]; null, and columns 0, if only s is wanted.
template <class T, bool kShared>
KERNEL void BOUNDS(1024) svd(Rooms<kShared> rooms, const T* x, T* s, T* across, T* along, int rows,
                             int n, int columns, int wide) {
  const MatrixRoom<T> u = rooms.template matrix<T>(rows, n),
                      z = rooms.template matrix<T>(rows, columns);
  const MatrixRoom<T> v{z.at, step_of(n)};  // it is done with before z is begun
  T* const lengths = rooms.template elements<T>(n);
  Reflection<T>* const reflections = rooms.template elements<Reflection<T>>(n);
  int* const places = rooms.template elements<int>(n);
  const int v_rows = across == nullptr ? 0 : n;
  x = own_of(x, rows, n);
  s = own_of(s, n, 1);
  int bad = 0;
  for_each(wide ? n : rows, wide ? rows : n, [&](int i, int j) {
    const T value = x[i * (wide ? rows : n) + j];
    (wide ? u(j, i) : u(i, j)) = value;
    bad |= !is_finite(value);
  });
  for_each(v_rows, n, [&](int row, int c) { v(row, c) = row == c ? (T)1 : (T)0; });
  bad = most_of_block(bad);
  if (!bad) make_orthogonal(u, v, rows, v_rows, n);
  share(n, [&](int j) {
    T sum = 0;
    for (int i = 0; i < rows; ++i) sum += u(i, j) * u(i, j);
    lengths[j] = bad ? (T)0 / (sum - sum) : root(sum);
  });
  share(n, [&](int j) {
    // The longest first; those of equal length, and NaN, in their order.
    int place = 0;
    for (int i = 0; i < n; ++i)
      place += lengths[i] > lengths[j] || (!(lengths[i] < lengths[j]) && i < j);
    places[j] = place;
    s[place] = lengths[j];
  });
  if (across == nullptr) return;
  across = own_of(across, rows, columns);
  along = own_of(along, n, n);
  if (bad) {
    share(rows * columns, [&](int i) { across[i] = lengths[0]; });
    share(n * n, [&](int i) { along[i] = lengths[0]; });
    return;
  }
  share(n, n, [&](int row, int c) { along[row * n + places[c]] = v(row, c); });
  put_directions(u, lengths, places, rows, n, z, columns, reflections);
  copy_out(across, z, rows, columns);
}
