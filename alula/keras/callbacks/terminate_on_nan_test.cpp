#include "alula/keras/callbacks/terminate_on_nan.h"

#include "alula/keras/callbacks/scripted_test.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::keras::callbacks;

namespace {

TEST(TerminateOnNaN, StopsAtTheFirst) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const CapturedOutput printed;
    Sequential model = one_weight();
    TerminateOnNaN callback;
    callback.set_model(model);
    callback.on_train_batch_end(0, {{"loss", 1}});
    callback.on_train_batch_end(1, {{"accuracy", bad}});
    EXPECT_FALSE(model.stop_training());
    callback.on_train_batch_end(2, {{"loss", bad}});
    EXPECT_TRUE(model.stop_training());
    EXPECT_EQ(printed.text(), "Batch 2: Invalid loss, terminating training\n");
    TerminateOnNaN thrower({.raise_error = true});
    thrower.set_model(model);
    EXPECT_ERROR(thrower.on_train_batch_end(7, {{"loss", bad}}), InvalidArgumentError,
                 "after batch 7");
  }
}

}  // namespace
