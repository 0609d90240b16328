#include "alula/keras/callbacks/model_checkpoint.h"

#include <csignal>
#include <unistd.h>

#include <sys/wait.h>

#include "alula/keras/callbacks/scripted_test.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::keras::callbacks;
using alula::testing::TemporaryFolder;

namespace {

TEST(ModelCheckpoint, DoesWhatKerasDoes) {
  run_cases("ModelCheckpoint", 15, [](const io::Json& config, const std::string& folder) {
    ModelCheckpointOptions options{
        .filepath = folder + "/" + our_names(text_in(config, "filepath", "")),
        .monitor = text_in(config, "monitor", "val_loss"),
        .verbose = whole_in(config, "verbose", 0),
        .save_best_only = flag_in(config, "save_best_only"),
        .save_weights_only = flag_in(config, "save_weights_only"),
        .mode = mode_in(config)};
    if (const io::Json* first = config.find("initial_value_threshold"))
      options.initial_value_threshold = first->as_number();
    return ModelCheckpoint(options);
  });
}

TEST(ModelCheckpoint, SavesWhatTheModelHasThen) {
  const TemporaryFolder folder;
  ModelCheckpoint callback({.filepath = folder / "a/b/{epoch:03d}.safetensors"});
  Sequential model = one_weight();
  callback.set_model(model);
  Logs logs;
  for (int epoch = 0; epoch < 2; ++epoch) {
    model.set_weights({Tensor({{static_cast<float>(epoch)}})});
    callback.on_epoch_end(epoch, logs);
  }
  EXPECT_EQ(names_in(folder / "a/b"),
            (std::vector<std::string>{"001.safetensors", "002.safetensors"}));
  model.load_weights(folder / "a/b/001.safetensors");
  EXPECT_EQ(model.get_weights()[0].item<float>(), 0);
  model.load_weights(folder / "a/b/002.safetensors");
  EXPECT_EQ(model.get_weights()[0].item<float>(), 1);
}

TEST(ModelCheckpoint, AfterSoManyBatches) {
  const TemporaryFolder folder;
  ModelCheckpoint callback({.filepath = folder / "{epoch}-{batch}.safetensors", .save_freq = 3});
  EXPECT_TRUE(callback.uses_batches());
  callback.set_model(one_weight());
  Logs logs{{"loss", 1}};
  for (int epoch = 0; epoch < 2; ++epoch) {
    callback.on_epoch_begin(epoch);
    for (int batch = 0; batch < 4; ++batch) callback.on_train_batch_end(batch, logs);
    callback.on_epoch_end(epoch, logs);
  }
  // Counted on from epoch to epoch.
  EXPECT_EQ(names_in(folder.path()),
            (std::vector<std::string>{"1-3.safetensors", "2-2.safetensors"}));
}

TEST(ModelCheckpoint, TheBestOfBatches) {
  const TemporaryFolder folder;
  ModelCheckpoint callback({.filepath = folder / "{batch}.safetensors",
                            .monitor = "loss",
                            .save_best_only = true,
                            .save_freq = 1});
  callback.set_model(one_weight());
  int batch = 0;
  for (const double loss : {3.0, 4.0, 2.0, 2.0})
    callback.on_train_batch_end(batch++, {{"loss", loss}});
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"1.safetensors", "3.safetensors"}));
}

TEST(ModelCheckpoint, KilledAtAnyMomentTheFileIsWhole) {
  const TemporaryFolder folder;
  const std::string path = folder / "last.safetensors";
  const Sequential model({Input({.shape = {512}}), layers::Dense({.units = 512})});
  ModelCheckpoint callback({.filepath = path});
  callback.set_model(model);
  Logs logs;
  callback.on_epoch_end(0, logs);
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (;;) callback.on_epoch_end(0, logs);
    }
    usleep(static_cast<useconds_t>(500 + 700 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ASSERT_NO_THROW(model.load_weights(path)) << round;
  }
}

TEST(ModelCheckpoint, NamesOfFiles) {
  const Logs logs{{"loss", 0.5}, {"val_loss", 12.3456}};
  EXPECT_EQ(checkpoint_path("{epoch}-{epoch:04d}", 6, -1, logs), "7-0007");
  EXPECT_EQ(checkpoint_path("{batch:>3}{{x}}", 0, 9, logs), " 10{x}");
  EXPECT_EQ(checkpoint_path("{loss}_{val_loss:.2f}_{val_loss:.1e}", 0, -1, logs),
            "0.5_12.35_1.2e+01");
  EXPECT_ERROR(
      checkpoint_path("{acc:.2f}", 0, -1, logs), InvalidArgumentError,
      "there is no \"acc\" for the file name \"{acc:.2f}\". There are: epoch,loss,val_loss.");
  EXPECT_ERROR(checkpoint_path("{batch}", 0, -1, logs), InvalidArgumentError, "no \"batch\"");
  EXPECT_ERROR(checkpoint_path("{epoch", 0, -1, logs), InvalidArgumentError, "a { is not closed");
  EXPECT_ERROR(checkpoint_path("epoch}", 0, -1, logs), InvalidArgumentError, "a } was not opened");
  EXPECT_ERROR(checkpoint_path("{loss:02d}", 0, -1, logs), InvalidArgumentError,
               "\"02d\" is no format of a number");
  EXPECT_ERROR(checkpoint_path("{epoch:{}}", 0, -1, logs), InvalidArgumentError,
               "is no format of a whole number");
}

TEST(ModelCheckpoint, Errors) {
  EXPECT_ERROR(ModelCheckpoint({.filepath = "best.keras"}), InvalidArgumentError,
               "the file must end in \".safetensors\"");
  EXPECT_ERROR(ModelCheckpoint({.filepath = "a.safetensors", .save_freq = "batch"}),
               InvalidArgumentError, "it is \"epoch\" or a number of batches. Got \"batch\".");
  EXPECT_ERROR(ModelCheckpoint({.filepath = "a.safetensors", .save_freq = 0}), InvalidArgumentError,
               "must be positive");
  const TemporaryFolder folder;
  alula::testing::put(folder / "file", "");
  ModelCheckpoint callback({.filepath = folder / "file/a.safetensors"});
  callback.set_model(one_weight());
  Logs logs;
  EXPECT_ERROR(callback.on_epoch_end(0, logs), FailedPreconditionError, "cannot make the folder");
}

}  // namespace
