#include "alula/keras/callbacks/reduce_lr_on_plateau.h"

#include "alula/keras/callbacks/scripted_test.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::keras::callbacks;

namespace {

TEST(ReduceLROnPlateau, DoesWhatKerasDoes) {
  run_cases("ReduceLROnPlateau", 15, [](const io::Json& config, const std::string&) {
    return ReduceLROnPlateau({.monitor = text_in(config, "monitor", "val_loss"),
                              .factor = number_in(config, "factor", 0.1),
                              .patience = whole_in(config, "patience", 10),
                              .verbose = whole_in(config, "verbose", 0),
                              .mode = mode_in(config),
                              .min_delta = number_in(config, "min_delta", 1e-4),
                              .cooldown = whole_in(config, "cooldown", 0),
                              .min_lr = number_in(config, "min_lr", 0)});
  });
}

TEST(ReduceLROnPlateau, TheFactorMakesItSmaller) {
  EXPECT_ERROR(ReduceLROnPlateau({.factor = 1}), InvalidArgumentError, "factor must be in [0, 1)");
}

}  // namespace
