#include "alula/keras/interrupt.h"

#include <csignal>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

using alula::keras::InterruptScope;

namespace {

using Handler = void (*)(int);
Handler handler_now() {
  struct sigaction now{};
  sigaction(SIGINT, nullptr, &now);
  return now.sa_handler;
}

int own_signals = 0;
void own_handler(int) { ++own_signals; }

TEST(InterruptScope, NotesASignalAndPutsTheHandlerBack) {
  ASSERT_EQ(handler_now(), SIG_DFL);
  {
    const InterruptScope scope;
    EXPECT_FALSE(scope.interrupted());
    std::raise(SIGINT);
    EXPECT_TRUE(scope.interrupted());
    EXPECT_EQ(handler_now(), SIG_DFL);  // a second one ends the program
  }
  EXPECT_EQ(handler_now(), SIG_DFL);
  const InterruptScope next;
  EXPECT_FALSE(next.interrupted());
  std::raise(SIGINT);
  EXPECT_TRUE(next.interrupted());
}

TEST(InterruptScopeDeathTest, TheSecondSignalEndsTheProgram) {
  EXPECT_EXIT(
      {
        const InterruptScope scope;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptScope, LeavesAProgramsOwnHandlerAlone) {
  std::signal(SIGINT, own_handler);
  own_signals = 0;
  {
    const InterruptScope scope;
    EXPECT_EQ(handler_now(), own_handler);
    std::raise(SIGINT);
    EXPECT_FALSE(scope.interrupted());
  }
  EXPECT_EQ(own_signals, 1);
  EXPECT_EQ(handler_now(), own_handler);
  std::signal(SIGINT, SIG_IGN);  // as after nohup
  {
    const InterruptScope scope;
    EXPECT_EQ(handler_now(), SIG_IGN);
  }
  std::signal(SIGINT, SIG_DFL);
  {
    const InterruptScope scope;  // one that is set while the scope lives stays, too
    std::signal(SIGINT, own_handler);
  }
  EXPECT_EQ(handler_now(), own_handler);
  std::signal(SIGINT, SIG_DFL);
}

TEST(InterruptScope, NestedScopesAllSeeIt) {
  {
    const InterruptScope outer;
    {
      const InterruptScope inner;
      std::raise(SIGINT);
      EXPECT_TRUE(inner.interrupted());
    }
    EXPECT_TRUE(outer.interrupted());
    const InterruptScope later;  // begins anew: the first signal has been seen
    EXPECT_FALSE(later.interrupted());
    std::raise(SIGINT);
    EXPECT_TRUE(later.interrupted());
  }
  EXPECT_EQ(handler_now(), SIG_DFL);
}

TEST(InterruptScope, ManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([] {
      for (int j = 0; j < 200; ++j) const InterruptScope scope;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(handler_now(), SIG_DFL);
}

}  // namespace
