// Kernels of one block that are links of a chain. Their arguments lie in one block of bytes, each
// at a multiple of 16.

#ifdef ALULA_ON_HOST
#define CHAIN_ARGUMENTS const
#else
#define CHAIN_ARGUMENTS const __grid_constant__
#endif

template <int kBytes>
struct alignas(16) ChainArguments {
  unsigned char at[kBytes];
};

template <class T>
struct WithoutConst {
  typedef T Type;
};
template <class T>
struct WithoutConst<const T> {
  typedef T Type;
};

template <auto kKernel>
struct Link;
template <class... A, void (*kKernel)(A...)>
struct Link<kKernel> {
  template <int kIndex>
  __device__ static constexpr int offset() {
    constexpr int kSizes[] = {(int)sizeof(A)...};
    int at = 0;
    for (int i = 0; i < kIndex; ++i) at += (kSizes[i] + 15) / 16 * 16;
    return at;
  }
  template <int... kIndex>
  struct Indices {};
  template <int kCount, int... kIndex>
  struct Make : Make<kCount - 1, kCount - 1, kIndex...> {};
  template <int... kIndex>
  struct Make<0, kIndex...> {
    typedef Indices<kIndex...> Type;
  };

  template <int... kIndex>
  __device__ __forceinline__ static void call(const unsigned char* at, Indices<kIndex...>) {
    kKernel(*(const typename WithoutConst<A>::Type*)(at + offset<kIndex>())...);
  }
  __device__ __forceinline__ static void run(const unsigned char* at) {
    call(at, typename Make<sizeof...(A)>::Type());
  }
};
