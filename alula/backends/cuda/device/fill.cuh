// Tensors made from numbers alone.

template <class T>
KERNEL void fill(T* to, long long count, T value) {
  for (long long i = first<long long>(); i < count; i += stride<long long>()) to[i] = value;
}
