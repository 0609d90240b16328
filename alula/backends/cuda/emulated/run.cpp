#include "alula/backends/cuda/emulated/run.h"

#include <cstdlib>
#include <exception>
#include <new>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace alula::cuda::emulated {
namespace {

constexpr size_t kStackBytes = 256 << 10;
constexpr unsigned kWarp = 32;

extern "C" void alula_emulated_switch(void** save, void* to);
// Saves what a call must preserve on the stack, and goes on on another one.
asm(R"(
.text
.globl alula_emulated_switch
.hidden alula_emulated_switch
.type alula_emulated_switch, @function
alula_emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size alula_emulated_switch, .-alula_emulated_switch
)");

/// A stack as AddressSanitizer knows it: it is told of each switch, so that a kernel can be checked
/// on whichever stack it runs.
struct Stack {
  const void* bottom = nullptr;
  size_t bytes = 0;
  void* kept = nullptr;  // its own notes, while another stack is in use

  static void leaving([[maybe_unused]] Stack* from, [[maybe_unused]] const Stack& to) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(from == nullptr ? nullptr : &from->kept, to.bottom, to.bytes);
#endif
  }
  static void arrived([[maybe_unused]] Stack& at, [[maybe_unused]] Stack* from) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(at.kept, from == nullptr ? nullptr : &from->bottom,
                                    from == nullptr ? nullptr : &from->bytes);
#endif
  }
  /// Nothing is left on it.
  void clear() const {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(bottom, bytes);
#endif
  }
};

/// Aligned as shared memory is, and not a byte longer than the launch says: what is behind it
/// belongs to nobody.
class SharedMemory {
 public:
  explicit SharedMemory(size_t bytes)
      : data_(static_cast<unsigned char*>(::operator new[](bytes, std::align_val_t{16}))) {}
  ~SharedMemory() { ::operator delete[](data_, std::align_val_t{16}); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  unsigned char* data() const { return data_; }

 private:
  unsigned char* data_;
};

/// Threads that wait for one another.
struct Group {
  unsigned alive = 0, arrived = 0;
  unsigned round = 0;
  unsigned long long words[kWarp] = {};

  void arrive() {
    if (++arrived == alive) open();
  }
  void leave() {
    --alive;
    if (alive == arrived && alive > 0) open();
  }
  void open() {
    arrived = 0;
    ++round;
  }
};

struct Thread {
  void* at = nullptr;  // where on its stack it is to go on
  Stack stack;
  Dim index;
  unsigned number = 0;  // in the block
  const Group* waits_for = nullptr;
  unsigned round = 0;  // of the group, when it began to wait
  bool ended = false;
};

/// The block that runs in this host thread.
class Block {
 public:
  static thread_local Block* current;

  Block(ThreadFunction function, const Grid& grid, void** arguments)
      : function_(function), arguments_(arguments), shared_(grid.shared_bytes) {
    const auto count = grid.threads[0] * grid.threads[1] * grid.threads[2];
    threads_.resize(count);
    while (stacks().size() < count) stacks().emplace_back(new std::byte[kStackBytes]);
    engine.threads = {grid.threads[0], grid.threads[1], grid.threads[2]};
    engine.blocks = {grid.blocks[0], grid.blocks[1], grid.blocks[2]};
    engine.shared = shared_.data();
    engine.wait_for_block = [] { current->wait(current->all_); };
    engine.wait_for_warp = [] { current->wait(current->warp()); };
    engine.wait_for_some = [](unsigned count) {
      current->some_.alive = count;
      current->wait(current->some_);
    };
  }

  void run(Dim index) {
    engine.block = index;
    start();
    size_t ended = 0;
    while (ended < threads_.size()) {
      bool moved = false;
      for (size_t i = 0; i < threads_.size(); ++i) {
        Thread& thread = threads_[backwards_ ? threads_.size() - 1 - i : i];
        if (thread.ended || is_waiting(thread)) continue;
        moved = true;
        resume(thread);
        ended += thread.ended;
      }
      require<InternalError>(moved, "GPU: threads of a kernel wait for others that never come.");
    }
  }

  Engine engine;

 private:
  static std::vector<std::unique_ptr<std::byte[]>>& stacks() {
    thread_local std::vector<std::unique_ptr<std::byte[]>> stacks;
    return stacks;
  }

  void start() {
    const auto count = static_cast<unsigned>(threads_.size());
    all_ = {.alive = count};
    some_ = {};
    warps_.assign((count + kWarp - 1) / kWarp, {});
    for (unsigned i = 0; i < count; ++i) {
      const Dim& size = engine.threads;
      ++warps_[i / kWarp].alive;
      threads_[i] = {.stack = {stacks()[i].get(), kStackBytes},
                     .index = {i % size.x, i / size.x % size.y, i / size.x / size.y},
                     .number = i};
      threads_[i].stack.clear();
      // The stack as alula_emulated_switch leaves it, six registers, and `begin` to return to.
      const auto top =
          reinterpret_cast<uintptr_t>(stacks()[i].get() + kStackBytes) & ~uintptr_t{15};
      auto* words = reinterpret_cast<void**>(top) - 2;
      words[0] = reinterpret_cast<void*>(&begin);
      words[1] = nullptr;
      threads_[i].at = words - 6;
    }
  }

  static bool is_waiting(const Thread& thread) {
    return thread.waits_for != nullptr && thread.waits_for->round == thread.round;
  }

  void resume(Thread& thread) {
    running_ = &thread;
    thread.waits_for = nullptr;
    engine.thread = thread.index;
    engine.lane = thread.number % kWarp;
    engine.words = warp().words;
    Stack::leaving(&own_stack_, thread.stack);
    alula_emulated_switch(&own_at_, thread.at);
    Stack::arrived(own_stack_, nullptr);
  }

  [[noreturn]] static void begin() {
    Block& block = *current;
    Stack::arrived(block.running_->stack, &block.own_stack_);
    block.function_(block.engine, block.arguments_);
    block.running_->ended = true;
    block.warp().leave();
    block.all_.leave();
    Stack::leaving(nullptr, block.own_stack_);
    alula_emulated_switch(&block.running_->at, block.own_at_);
    std::terminate();  // nobody goes on with a thread that has ended
  }

  Group& warp() { return warps_[running_->number / kWarp]; }

  void wait(Group& group) {
    Thread& self = *running_;
    self.round = group.round;
    group.arrive();
    if (group.round != self.round) return;
    self.waits_for = &group;
    Stack::leaving(&self.stack, own_stack_);
    alula_emulated_switch(&self.at, own_at_);
    Stack::arrived(self.stack, &own_stack_);
  }

  ThreadFunction function_;
  void** arguments_;
  SharedMemory shared_;
  std::vector<Thread> threads_;
  // Whose turn comes first: where a barrier is missing, one of the two orders shows it.
  const bool backwards_ = std::getenv("ALULA_EMULATED_BACKWARDS") != nullptr;
  std::vector<Group> warps_;
  Group all_, some_;
  Thread* running_ = nullptr;
  void* own_at_ = nullptr;  // where the engine goes on
  Stack own_stack_;
};
thread_local Block* Block::current = nullptr;

}  // namespace

void run_grid(ThreadFunction thread, const Grid& grid, void** arguments) {
  Block block(thread, grid, arguments);
  Block* const outer = std::exchange(Block::current, &block);
  const auto restore = [&] { Block::current = outer; };
  try {
    for (unsigned z = 0; z < grid.blocks[2]; ++z)
      for (unsigned y = 0; y < grid.blocks[1]; ++y)
        for (unsigned x = 0; x < grid.blocks[0]; ++x) block.run({x, y, z});
  } catch (...) {
    restore();
    throw;
  }
  restore();
}

}  // namespace alula::cuda::emulated
