#include "alula/keras/words.h"

#include <gtest/gtest.h>

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;

namespace {

constexpr Word<int> kOptimizers[] = {{"sgd", 1},   {"rmsprop", 2}, {"adam", 3},
                                     {"adamw", 4}, {"adamax", 5},  {"nadam", 6}};

}  // namespace

TEST(Words, AreLookedUp) {
  EXPECT_EQ(look_up("optimizer", "adam", kOptimizers), 3);
  EXPECT_EQ(look_up("optimizer", "nadam", kOptimizers), 6);
}

TEST(Words, NearOnesAreSuggested) {
  EXPECT_ERROR(look_up("optimizer", "adamm", kOptimizers), InvalidArgumentError,
               "optimizer: there is no \"adamm\". Did you mean \"adam\", \"adamw\" or \"adamax\"?");
  EXPECT_ERROR(look_up("optimizer", "SGD", kOptimizers), InvalidArgumentError,
               "Did you mean \"sgd\"?");
  EXPECT_ERROR(look_up("optimizer", "gradient descent", kOptimizers), InvalidArgumentError,
               "There are \"sgd\", \"rmsprop\", \"adam\", \"adamw\", \"adamax\" or \"nadam\".");
  EXPECT_ERROR(look_up("optimizer", "", kOptimizers), InvalidArgumentError, "there is no \"\"");
}

TEST(Words, ClassNamesInSnakeCase) {
  const std::pair<const char*, const char*> cases[] = {
      {"Conv2D", "conv2d"},
      {"MaxPooling2D", "max_pooling2d"},
      {"ReLU", "re_lu"},
      {"LeakyReLU", "leaky_re_lu"},
      {"RMSprop", "rm_sprop"},
      {"AdamW", "adam_w"},
      {"GlobalAveragePooling2D", "global_average_pooling2d"},
      {"InputLayer", "input_layer"},
      {"BatchNormalization", "batch_normalization"},
      {"MyModel", "my_model"},
      {"SGD", "sgd"},
      {"AUC", "auc"},
      {"My Layer!", "my_layer"}};
  for (const auto& [name, expected] : cases) EXPECT_EQ(snake_case(name), expected);
}

TEST(Words, NamesAreNumbered) {
  forget_names();
  EXPECT_EQ(unique_name("dense"), "dense");
  EXPECT_EQ(unique_name("dense"), "dense_1");
  EXPECT_EQ(unique_name("dense_1"), "dense_1");  // as in Keras, a counter a name
  EXPECT_EQ(unique_name("dense"), "dense_2");
  forget_names();
  EXPECT_EQ(unique_name("dense"), "dense");
}
