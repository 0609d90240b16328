// What an eager op must not do: it allocates nothing but its result, which comes from the cache.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include <gtest/gtest.h>

#include "alula/alula.h"

namespace {

std::atomic<int64_t> g_allocations = 0;

void* counted(size_t bytes) {
  ++g_allocations;
  if (void* block = std::malloc(bytes)) return block;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t bytes) { return counted(bytes); }
void* operator new[](size_t bytes) { return counted(bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  ++g_allocations;
  return std::malloc(bytes);
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
  ++g_allocations;
  return std::malloc(bytes);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }

using namespace alula;

TEST(EagerOp, AllocatesNothingButItsResult) {
  const Tensor a(std::vector<float>(100, 1.5f), {10, 10});
  const Tensor row(std::vector<float>(10, 2.5f));
  const std::pair<const char*, std::function<Tensor()>> calls[] = {
      {"add", [&] { return a + a; }},
      {"add a number", [&] { return a + 1; }},
      {"add a row", [&] { return a + row; }},
      {"less", [&] { return a < row; }},
      {"silu", [&] { return silu(a); }},
      {"cast", [&] { return cast(a, float64); }},
      {"matmul", [&] { return matmul(a, a); }},
      {"reduce_sum", [&] { return reduce_sum(a); }},
      {"reduce_max of rows", [&] { return reduce_max(a, {.axis = 1}); }},
      {"reshape", [&] { return reshape(a, {5, 20}); }},
      {"transpose", [&] { return transpose(a); }},
  };
  for (const auto& [name, call] : calls) {
    for (int i = 0; i < 3; ++i) call();  // programs are made and caches filled the first time
    const int64_t before = g_allocations;
    for (int i = 0; i < 100; ++i) call();
    EXPECT_EQ(g_allocations - before, 0) << name;
  }
}

TEST(EagerOp, TakesNoMoreMemoryAsItRepeats) {
  const Tensor a = zeros({300, 300});
  Tensor b = a;
  for (int i = 0; i < 3; ++i) b = b + a;
  const memory::Statistics before = memory::statistics();
  for (int i = 0; i < 100; ++i) b = b + a;
  EXPECT_EQ(memory::statistics().in_use, before.in_use);
  EXPECT_LE(memory::statistics().cached, before.cached);
}
