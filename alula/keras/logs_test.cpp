#include "alula/keras/logs.h"

#include <gtest/gtest.h>

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;

namespace {

TEST(Logs, KeepTheOrderInWhichNamesCame) {
  Logs logs{{"loss", 2}, {"accuracy", 0.5}};
  logs.set("loss", 1);
  logs.set("val_loss", 3);
  std::string names;
  for (const auto& [name, value] : logs) names += name + " ";
  EXPECT_EQ(names, "loss accuracy val_loss ");
  EXPECT_EQ(logs["loss"], 1);
  EXPECT_EQ(logs.size(), 3U);
  names.clear();
  for (const auto& [name, value] : logs.sorted()) names += name + " ";
  EXPECT_EQ(names, "accuracy loss val_loss ");
  EXPECT_TRUE(logs.contains("accuracy"));
  EXPECT_FALSE(logs.contains("acc"));
  EXPECT_ERROR(logs["acc"], NotFoundError,
               "logs: there is no \"acc\". There are: loss, accuracy, val_loss.");
  EXPECT_TRUE(Logs().empty());
}

TEST(History, CollectsEpochs) {
  History history;
  history.add(0, {{"loss", 3}});
  history.add(1, {{"loss", 2}, {"val_loss", 5}});  // validation every second epoch
  EXPECT_EQ(history.epoch, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(history["loss"], (std::vector<double>{3, 2}));
  EXPECT_EQ(history["val_loss"], (std::vector<double>{5}));
  EXPECT_FALSE(history.contains("accuracy"));
  EXPECT_ERROR(history["accuracy"], NotFoundError, "There are: loss, val_loss.");
}

}  // namespace
