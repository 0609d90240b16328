#include "alula/core/log.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

using namespace alula;

namespace {

/// Collects what is logged while it lives.
class LogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = logging::set_handler([this](logging::Level level, std::string_view message) {
      levels.push_back(level);
      messages.emplace_back(message);
    });
  }
  void TearDown() override {
    logging::set_handler(before_);
    logging::set_level(logging::Level::kWarning);
  }

  std::vector<logging::Level> levels;
  std::vector<std::string> messages;

 private:
  logging::Handler before_;
};

}  // namespace

TEST_F(LogTest, GoesToTheHandler) {
  logging::set_level(logging::Level::kInfo);
  logging::info("{} and {}", 1, "two");
  logging::warn("careful");
  EXPECT_EQ(messages, (std::vector<std::string>{"1 and two", "careful"}));
  EXPECT_EQ(levels, (std::vector{logging::Level::kInfo, logging::Level::kWarning}));
}

TEST_F(LogTest, DropsWhatIsBelowTheLevel) {
  logging::set_level(logging::Level::kWarning);
  logging::info("not said");
  logging::warn("said");
  logging::set_level(logging::Level::kSilent);
  logging::warn("not said either");
  logging::write(logging::Level::kSilent, "nor this");
  EXPECT_EQ(messages, std::vector<std::string>{"said"});
  EXPECT_FALSE(logging::enabled(logging::Level::kWarning));
}

TEST_F(LogTest, LetsTheHandlerLogAndBeReplaced) {
  int calls = 0;
  logging::Handler first = logging::set_handler([&](logging::Level, std::string_view) {
    if (++calls == 1) logging::warn("from the handler");
  });
  logging::warn("once");
  EXPECT_EQ(calls, 2);
  logging::set_handler(first);
  logging::warn("back");
  EXPECT_EQ(messages, std::vector<std::string>{"back"});
}

TEST_F(LogTest, GoesToTheStandardErrorWithoutAHandler) {
  const logging::Handler mine = logging::set_handler({});
  ::testing::internal::CaptureStderr();
  logging::warn("hello");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "Alula: hello\n");
  logging::set_handler(mine);
}
