#include "alula/keras/progress_bar.h"

#include <memory>

#include <gtest/gtest.h>

#include "alula/io/file.h"
#include "alula/io/json.h"
#include "alula/keras/output_test.h"
#include "alula/testing/test_data.h"

using namespace alula;
using namespace alula::keras;

namespace {

/// A bar on a clock that moves when it is told to.
struct Scene {
  FakeOutput out;
  double now = 0;
  ProgressBar bar;

  Scene(int64_t target, int verbose, FakeOutput output = {})
      : out(std::move(output)),
        bar({.target = target, .verbose = verbose, .out = &out, .clock = [this] { return now; }}) {}
  std::string drawn() { return std::exchange(out.text, ""); }
};

double number(const io::Json& value) {
  // JSON has no such numbers, so the file has words for them.
  if (!value.is_string()) return value.as_number();
  if (value.as_string() == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return value.as_string() == "inf" ? infinity : -infinity;
}

TEST(ProgressBar, DrawsWhatKerasDraws) {
  const std::string path = alula::testing::test_data("keras_reference/text/progbar.json");
  int drawings = 0;
  const io::Json cases = io::Json::parse(io::read_file(path), path);
  for (const auto& [name, test] : cases.as_object()) {
    SCOPED_TRACE(name);
    // There Keras's own `fit` sets the target, and so do we; this case is the bar's alone.
    if (name == "unknown_target_end") continue;
    FakeOutput out = terminal();
    double now = test.at("start").as_number();
    const io::Json& target = test.at("target");
    ProgressBar bar({.target = target.is_null() ? kUnknown : target.as_integer(),
                     .verbose = static_cast<int>(test.at("verbose").as_integer()),
                     .out = &out,
                     .clock = [&] { return now; }});
    for (const io::Json& event : test.at("events").as_array()) {
      now = event.at("time").as_number();
      Logs logs;
      for (const io::Json& value : event.at("values").as_array())
        logs.set(value.as_array()[0].as_string(), number(value.as_array()[1]));
      const int64_t current = event.at("current").as_integer();
      if (event.at("finalize").as_bool())
        bar.finish(current, logs);
      else
        bar.update(current, logs);
      EXPECT_EQ(std::exchange(out.text, ""), event.at("drawing").as_string()) << now;
      ++drawings;
    }
  }
  EXPECT_GT(drawings, 60);
}

TEST(ProgressBar, PlainLinesOutsideATerminal) {
  Scene scene(313, 1);
  scene.bar.title(1, 3);
  EXPECT_EQ(scene.drawn(), "Epoch 1/3\n");
  EXPECT_TRUE(scene.bar.is_due());  // the end of the first step must be known
  scene.now = 0.4;
  scene.bar.update(1, {{"accuracy", 0.5}, {"loss", 1}});
  scene.now = 0.9;
  EXPECT_FALSE(scene.bar.is_due());
  scene.bar.update(200, {{"accuracy", 0.5}, {"loss", 1}});
  EXPECT_EQ(scene.drawn(), "");
  scene.now = 1.024;
  scene.bar.finish(313, {{"accuracy", 0.9}, {"loss", 0.3}, {"val_loss", 2}});
  EXPECT_EQ(scene.drawn(),
            "313/313 ━━━━━━━━━━━━━━━━━━━━ 1s 2ms/step - accuracy: 0.9000 - loss: 0.3000 - "
            "val_loss: 2.0000\n");
}

TEST(ProgressBar, OneEpochHasNoTitle) {
  Scene scene(5, 1), silent(5, 0);
  scene.bar.title(1, 1);
  EXPECT_EQ(scene.drawn(), "");
  silent.bar.title(1, 2);
  EXPECT_FALSE(silent.bar.is_due());
  silent.bar.update(1, {});
  silent.bar.finish(5, {});
  EXPECT_EQ(silent.drawn(), "");
}

TEST(ProgressBar, AtMostTwentyDrawingsASecond) {
  Scene scene(1000, 1, terminal());
  int drawings = 0;
  for (int step = 1; step <= 1000; ++step) {
    scene.now = step * 0.001;
    const bool due = scene.bar.is_due();
    scene.bar.update(step, {{"loss", 1.0}});
    const bool drew = !scene.drawn().empty();
    EXPECT_TRUE(due || !drew) << step;
    drawings += drew ? 1 : 0;
  }
  EXPECT_GE(drawings, 18);
  EXPECT_LE(drawings, 21);
}

TEST(ProgressBar, ANarrowTerminalGetsOneLineUntilTheEnd) {
  Scene scene(10, 1, terminal(30));
  scene.now = 1;
  scene.bar.update(5, {{"loss", 0.5}, {"accuracy", 0.5}});
  const std::string half = "\x1b[32m━━━━━━━━━━\x1b[0m\x1b[37m━━━━━━━━━━\x1b[0m";
  EXPECT_EQ(scene.drawn(), "\r\x1b[1m 5/10\x1b[0m " + half + " \x1b[1m1s\x1b[0m");
  scene.now = 2;
  scene.bar.finish(10, {{"loss", 0.5}});
  const std::string whole = "\x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m";
  const std::string erased(29, '\b');
  EXPECT_EQ(scene.drawn(), erased + "\r\x1b[1m10/10\x1b[0m " + whole +
                               " \x1b[1m2s\x1b[0m 200ms/step - loss: 0.5000 - accuracy: 0.5000\n");
}

TEST(ProgressBar, ALineThatWasBegunIsEnded) {
  FakeOutput out = terminal();
  {
    ProgressBar bar({.target = 3, .out = &out});
    bar.update(1, {});
    EXPECT_FALSE(out.text.ends_with("\n"));
  }
  EXPECT_TRUE(out.text.ends_with("\n"));
  out.text.clear();
  {
    ProgressBar bar({.target = 3, .out = &out});
  }
  EXPECT_EQ(out.text, "");
}

TEST(ProgressBar, ATargetThatWasNotKnownIsKnownAtTheEnd) {
  Scene scene(kUnknown, 2), bar(kUnknown, 1), empty(0, 1);
  for (Scene* each : {&scene, &bar, &empty}) each->now = 1;
  scene.bar.finish(3, {});
  EXPECT_EQ(scene.drawn(), "3/3 - 1s - 333ms/step\n");
  bar.bar.finish(3, {});
  EXPECT_EQ(bar.drawn(), "3/3 ━━━━━━━━━━━━━━━━━━━━ 1s 333ms/step\n");
  empty.bar.finish(0, {});  // of no step at all
  EXPECT_FALSE(empty.drawn().empty());
}

TEST(ProgressBar, ANumberThatIsNoneHasNoSign) {
  Scene scene(1, 2);
  scene.now = 0.25;
  scene.bar.finish(1, {{"loss", -std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_EQ(scene.drawn(), "1/1 - 0s - 250ms/step - loss: nan\n");
}

}  // namespace
