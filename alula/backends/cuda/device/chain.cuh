// Kernels that are links of a chain. Their arguments lie in one block of bytes, each at a multiple
// of 16.

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

// Which block of a level comes i-th. One that takes all of them begins at the end, so that a link
// which needs another one of its level is found out.
DEVICE unsigned int turn(unsigned int i, unsigned int blocks) {
#ifdef ALULA_ON_HOST
  return blocks - 1 - i;
#else
  return i;
#endif
}

// Begins a link's block: where it is in the link's grid. Whether this thread is one of its own.
DEVICE bool enter_link(unsigned int block, LinkSize blocks, unsigned int threads) {
  if (threadIdx.x == 0)
    link_place = {{block % blocks.x, block / blocks.x % blocks.y, block / blocks.x / blocks.y},
                  blocks,
                  {threads, 1, 1}};
  chain_barrier();
  return threadIdx.x < threads;
}

// All blocks wait for one another, and see what the others have written. Each adds to a word, the
// first one what makes the sum a half of all that a word can count: so the highest bit changes when
// the last has come, and the other bits are zero again.
DEVICE void wait_for_all_blocks(unsigned int* word) {
  chain_barrier();
#ifndef ALULA_ON_HOST
  if (threadIdx.x == 0 && chain_blocks() > 1) {
    const unsigned int share = chain_block() == 0 ? 0x80000000u - (chain_blocks() - 1) : 1;
    unsigned int before, now;
    __threadfence();
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(word), "r"(share)
                 : "memory");
    do asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
    while (((before ^ now) & 0x80000000u) == 0);
    __threadfence();
  }
  chain_barrier();
#endif
}
