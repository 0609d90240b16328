#include <csignal>

#include "alula/keras/callbacks.h"
#include "alula/keras/callbacks/scripted_test.h"
#include "alula/ops/fill.h"

using namespace alula;
using namespace alula::keras;

namespace {

struct Counter : Callback {
  int epochs = 0;
  void on_epoch_end(int64_t, Logs& logs) override {
    ++epochs;
    logs.set("epochs", epochs);
  }
};

TEST(Callback, HasNoModelAtFirst) {
  Counter counter;
  EXPECT_ERROR(counter.model(), FailedPreconditionError, "it has no model yet");
  counter.set_model(callbacks::one_weight());  // a handle of its own: the model lives on
  EXPECT_EQ(counter.model().weights().size(), 1U);
}

TEST(Callback, ObjectsPointersAndSharedOnes) {
  Counter own;
  const auto shared = std::make_shared<Counter>();
  const std::vector<CallbackRef> all = {Counter(), &own, shared,
                                        callbacks::EarlyStopping({.monitor = "loss"})};
  Logs logs;
  for (size_t i = 0; i < 3; ++i) all[i]->on_epoch_end(0, logs);
  EXPECT_EQ(own.epochs, 1);
  EXPECT_EQ(shared->epochs, 1);
  EXPECT_EQ(shared.use_count(), 2);
}

// What follows goes through `fit`.

/// Notes all that it is told, in short.
struct Notes : Callback {
  std::string text;
  void on_train_begin() override { text += "train("; }
  void on_train_end(const Logs&) override { text += ")"; }
  void on_epoch_begin(int64_t) override { text += "epoch("; }
  void on_epoch_end(int64_t, Logs&) override { text += ")"; }
  void on_train_batch_begin(int64_t batch) override { text += fmt::format("<{}", batch); }
  void on_train_batch_end(int64_t batch, const Logs&) override {
    text += fmt::format("{}>", batch);
  }
  void on_test_begin() override { text += "test("; }
  void on_test_end(const Logs&) override { text += ")"; }
  void on_test_batch_begin(int64_t batch) override { text += fmt::format("[{}", batch); }
  void on_test_batch_end(int64_t batch, const Logs&) override { text += fmt::format("{}]", batch); }
};

const Tensor kX = ones({4, 1}), kY = ones({4, 1});

TEST(CallbacksInFit, HooksInOrder) {
  Notes notes;
  callbacks::one_weight().fit(kX, kY,
                              {.batch_size = 2,
                               .epochs = 2,
                               .verbose = 0,
                               .callbacks = {&notes},
                               .validation_data = {kX, kY}});
  const std::string epoch = "epoch(<00><11>test([00][11]))";
  EXPECT_EQ(notes.text, "train(" + epoch + epoch + ")");
}

TEST(CallbacksInFit, ABatchThatStopsIsTheLast) {
  Notes notes;
  Sequential model = callbacks::one_weight();
  const callbacks::LambdaCallback stop(
      {.on_train_batch_end = [&](int64_t, const Logs&) { model.set_stop_training(true); }});
  const History history =
      model.fit(kX, kY, {.batch_size = 1, .epochs = 3, .verbose = 0, .callbacks = {stop, &notes}});
  EXPECT_EQ(notes.text, "train(epoch(<00>))");
  EXPECT_EQ(history.epoch.size(), 1U);
}

TEST(CallbacksInFit, AllTogether) {
  const alula::testing::TemporaryFolder folder;
  const CapturedOutput printed;
  Sequential model = callbacks::one_weight();
  model.set_weights({Tensor({{3.F}})});
  callbacks::EarlyStopping stopping(
      {.min_delta = 0.5, .patience = 1, .verbose = 1, .restore_best_weights = true});
  const History history = model.fit(
      kX, kY,
      {.epochs = 50,
       .verbose = 2,
       .callbacks = {callbacks::LearningRateScheduler({.schedule = [](int64_t) { return 0.2; }}),
                     &stopping,
                     callbacks::ModelCheckpoint(
                         {.filepath = folder / "{epoch}.safetensors", .save_best_only = true}),
                     callbacks::CSVLogger({.filename = folder / "log.csv"}),
                     callbacks::TensorBoard({.log_dir = folder / "logs"})},
       .validation_data = {kX, kY}});
  // The error shrinks by 1 - 2 * 0.2 a step: 2, 1.2, 0.72, 0.43, ...
  EXPECT_EQ(history.epoch.size(), 3U);
  EXPECT_NEAR(history["val_loss"][0], 1.44, 1e-5);
  EXPECT_EQ(history["learning_rate"], std::vector<double>(3, 0.2F));
  EXPECT_EQ(stopping.stopped_epoch(), 2);
  EXPECT_NEAR(model.get_weights()[0].item<float>(), 1 + 0.72, 1e-5);  // of the second epoch
  EXPECT_TRUE(printed.text().ends_with(
      "Epoch 3: early stopping\nRestoring model weights from the end of the best epoch: 2.\n"));
  EXPECT_EQ(callbacks::names_in(folder.path()),
            (std::vector<std::string>{"1.safetensors", "2.safetensors", "3.safetensors", "log.csv",
                                      "logs"}));
  EXPECT_EQ(callbacks::names_in(folder / "logs"),
            (std::vector<std::string>{"train", "validation"}));
  EXPECT_TRUE(
      io::read_file(folder / "log.csv").starts_with("epoch,learning_rate,loss,val_loss\r\n0,"));
}

TEST(CallbacksInFit, TheBarComesLastAndShowsWhatTheyAdd) {
  const CapturedOutput printed;
  const callbacks::LambdaCallback adds({.on_epoch_end = [](int64_t, Logs& logs) {
    output().write("told\n");
    logs.set("more", 2);
  }});
  callbacks::one_weight().fit(kX, kY, {.callbacks = {adds}});
  EXPECT_TRUE(printed.text().starts_with("told\n1/1 ━"));
  EXPECT_TRUE(printed.text().ends_with(" - more: 2.0000\n"));
}

TEST(CallbacksInFit, BatchesAreToldToThoseWhoUseThem) {
  struct Unused : Notes {
    bool uses_batches() const override { return false; }
  };
  Unused alone;
  Sequential model = callbacks::one_weight();
  model.fit(kX, kY, {.batch_size = 2, .verbose = 0, .callbacks = {&alone}});
  EXPECT_EQ(alone.text.find('>'), std::string::npos);
  Unused with_another;
  Notes notes;
  model.fit(kX, kY, {.batch_size = 2, .verbose = 0, .callbacks = {&with_another, &notes}});
  EXPECT_NE(notes.text.find("1>"), std::string::npos);
}

TEST(CallbacksInFit, NoNumberEndsTraining) {
  const CapturedOutput printed;
  const auto handler = logging::set_handler([](auto, auto) {});
  const History history = callbacks::one_weight().fit(
      fill({4, 1}, std::numeric_limits<float>::infinity()), kY,
      {.batch_size = 1, .epochs = 3, .verbose = 0, .callbacks = {callbacks::TerminateOnNaN()}});
  logging::set_handler(handler);
  EXPECT_EQ(printed.text(), "Batch 0: Invalid loss, terminating training\n");
  EXPECT_EQ(history.epoch.size(), 1U);
}

struct Trouble : std::exception {};

TEST(CallbacksInFit, AnErrorComesThroughAndEndsTheLine) {
  FakeOutput out = terminal();
  Output* before = set_output(&out);
  Sequential model = callbacks::one_weight();
  const auto counted = std::make_shared<Counter>();
  callbacks::LambdaCallback thrower({.on_train_batch_end = [](int64_t batch, const Logs&) {
    if (batch == 2) throw Trouble();
  }});
  EXPECT_THROW(model.fit(kX, kY, {.batch_size = 1, .callbacks = {thrower, counted}}), Trouble);
  set_output(before);
  EXPECT_EQ(counted.use_count(), 1);
  EXPECT_EQ(model.optimizer().iterations().value().item<int64_t>(), 3);  // the last full step
  EXPECT_TRUE(out.text.ends_with("\n"));
  model.fit(kX, kY, {.verbose = 0});  // and the model can be trained on
}

TEST(CallbacksInFit, ControlCReturnsTheHistory) {
  FakeOutput out = terminal();
  Output* before = set_output(&out);
  callbacks::LambdaCallback interrupt({.on_train_batch_end = [](int64_t batch, const Logs&) {
    if (batch == 1) std::raise(SIGINT);
  }});
  const History history =
      callbacks::one_weight().fit(kX, kY, {.batch_size = 1, .epochs = 5, .callbacks = {interrupt}});
  set_output(before);
  EXPECT_TRUE(history.interrupted);
  EXPECT_TRUE(out.text.ends_with("\n"));
}

}  // namespace
