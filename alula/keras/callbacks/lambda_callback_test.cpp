#include "alula/keras/callbacks/lambda_callback.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace alula::keras;
using namespace alula::keras::callbacks;

namespace {

TEST(LambdaCallback, CallsWhatItWasGiven) {
  std::string told;
  LambdaCallback callback(
      {.on_epoch_begin = [&](int64_t epoch) { told += fmt::format("b{}", epoch); },
       .on_epoch_end = [&](int64_t, Logs& logs) { logs.set("more", 1); },
       .on_train_end = [&](const Logs& logs) { told += fmt::format("e{}", logs.size()); }});
  EXPECT_FALSE(callback.uses_batches());
  callback.on_train_begin();
  callback.on_epoch_begin(3);
  callback.on_train_batch_begin(0);
  callback.on_train_batch_end(0, {});
  callback.on_test_begin();
  callback.on_test_batch_begin(0);
  callback.on_test_batch_end(0, {});
  callback.on_test_end({});
  callback.on_predict_begin();
  callback.on_predict_batch_begin(0);
  callback.on_predict_batch_end(0);
  callback.on_predict_end();
  Logs logs;
  callback.on_epoch_end(3, logs);
  callback.on_train_end(logs);
  EXPECT_EQ(logs["more"], 1);
  EXPECT_EQ(told, "b3e1");
}

TEST(LambdaCallback, OfBatches) {
  int64_t seen = 0;
  LambdaCallback callback(
      {.on_train_batch_end = [&](int64_t batch, const Logs&) { seen = batch; }});
  EXPECT_TRUE(callback.uses_batches());
  callback.on_train_batch_end(4, {});
  EXPECT_EQ(seen, 4);
}

}  // namespace
