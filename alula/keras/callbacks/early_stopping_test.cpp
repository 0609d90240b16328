#include "alula/keras/callbacks/early_stopping.h"

#include "alula/keras/callbacks/scripted_test.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::keras::callbacks;

namespace {

TEST(EarlyStopping, DoesWhatKerasDoes) {
  run_cases("EarlyStopping", 20, [](const io::Json& config, const std::string&) {
    EarlyStoppingOptions options{.monitor = text_in(config, "monitor", "val_loss"),
                                 .min_delta = number_in(config, "min_delta", 0),
                                 .patience = whole_in(config, "patience", 0),
                                 .verbose = whole_in(config, "verbose", 0),
                                 .mode = mode_in(config),
                                 .restore_best_weights = flag_in(config, "restore_best_weights"),
                                 .start_from_epoch = whole_in(config, "start_from_epoch", 0)};
    if (const io::Json* baseline = config.find("baseline"))
      options.baseline = baseline->as_number();
    return EarlyStopping(options);
  });
}

TEST(EarlyStopping, ANumberIsBetterThanNone) {
  EarlyStopping callback({.patience = 2});
  Sequential model = one_weight();
  callback.set_model(model);
  callback.on_train_begin();
  Logs nan{{"val_loss", std::numeric_limits<double>::quiet_NaN()}}, one{{"val_loss", 1}};
  callback.on_epoch_end(0, nan);
  callback.on_epoch_end(1, one);
  EXPECT_EQ(callback.best().value(), 1);
  EXPECT_EQ(callback.best_epoch(), 1);
  callback.on_epoch_end(2, nan);
  EXPECT_FALSE(model.stop_training());
  callback.on_epoch_end(3, nan);
  EXPECT_TRUE(model.stop_training());
  EXPECT_EQ(callback.stopped_epoch(), 3);
}

TEST(EarlyStopping, ErrorsSayWhatToDo) {
  EXPECT_ERROR(EarlyStopping({.mode = "most"}), InvalidArgumentError,
               "EarlyStopping: mode is \"auto\", \"min\" or \"max\". Got \"most\".");
  EarlyStopping callback({.monitor = "val_wonder"});
  Logs logs{{"val_wonder", 1}};
  EXPECT_ERROR(callback.on_epoch_end(0, logs), FailedPreconditionError, "it has no model yet");
  callback.set_model(one_weight());
  EXPECT_ERROR(callback.on_epoch_end(0, logs), InvalidArgumentError,
               "whether more or less of \"val_wonder\" is better is not known. Set mode");
}

}  // namespace
