#include "alula/keras/callbacks/tensorboard.h"

#include <cstring>

#include "alula/keras/callbacks/scripted_test.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::keras::callbacks;
using alula::testing::TemporaryFolder;

namespace {

uint64_t varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(0));
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

/// The bytes of a protobuf message's field: a varint's as text of the number.
std::string field(std::string_view bytes, uint64_t wanted) {
  while (!bytes.empty()) {
    const uint64_t key = varint(bytes);
    const uint64_t size = (key & 7) == 0   ? 0
                          : (key & 7) == 1 ? 8
                          : (key & 7) == 5 ? 4
                                           : varint(bytes);
    const std::string value =
        (key & 7) == 0 ? std::to_string(varint(bytes)) : std::string(bytes.substr(0, size));
    bytes.remove_prefix(size);
    if (key >> 3 == wanted) return value;
  }
  return "";
}

/// The scalars of the one event file in a folder: "tag@step=value".
std::vector<std::string> scalars_in(const std::string& folder) {
  const std::vector<std::string> names = names_in(folder);
  EXPECT_EQ(names.size(), 1U);
  const std::string file = io::read_file(folder + "/" + names.at(0));
  std::vector<std::string> found;
  for (std::string_view left = file; !left.empty();) {
    uint64_t length = 0;
    std::memcpy(&length, left.data(), sizeof(length));
    const std::string_view event = left.substr(12, length);
    left.remove_prefix(length + 16);
    const std::string value = field(field(event, 5), 1);  // of the summary
    if (value.empty()) continue;
    const std::string number = field(field(value, 8), 5), step = field(event, 2);
    float scalar = 0;
    std::memcpy(&scalar, number.data(), std::min(number.size(), sizeof(scalar)));
    found.push_back(fmt::format("{}@{}={}", field(value, 1), step.empty() ? "0" : step, scalar));
  }
  return found;
}

TEST(TensorBoard, WritesKerasNames) {
  const TemporaryFolder folder;
  Sequential model = one_weight();
  TensorBoard callback({.log_dir = folder / "logs", .update_freq = 2});
  EXPECT_TRUE(callback.uses_batches());
  callback.set_model(model);
  callback.on_train_begin();
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    callback.on_epoch_begin(epoch);
    for (int64_t batch = 0; batch < 3; ++batch) {
      callback.on_train_batch_begin(batch);
      callback.on_train_batch_end(batch, {{"loss", 10.0 * static_cast<double>(epoch) + batch}});
    }
    callback.on_test_end({{"loss", 7}});
    Logs logs{{"loss", 2}, {"val_loss", 3}};
    callback.on_epoch_end(epoch, logs);
    EXPECT_EQ(logs.size(), 2U);
  }
  const std::vector<std::string> train = {
      "batch_loss@2=1",  "epoch_loss@0=2", "epoch_learning_rate@0=0.1", "batch_loss@4=10",
      "batch_loss@6=12", "epoch_loss@1=2", "epoch_learning_rate@1=0.1"};
  EXPECT_EQ(scalars_in(folder / "logs/train"), train);  // before the end of training, too
  callback.on_train_end({});
  EXPECT_EQ(scalars_in(folder / "logs/train"), train);
  EXPECT_EQ(scalars_in(folder / "logs/validation"),
            (std::vector<std::string>{"evaluation_loss_vs_iterations@0=7", "epoch_loss@0=3",
                                      "evaluation_loss_vs_iterations@0=7", "epoch_loss@1=3"}));
}

TEST(TensorBoard, EpochsOnly) {
  const TemporaryFolder folder;
  TensorBoard callback({.log_dir = folder.path()});
  EXPECT_FALSE(callback.uses_batches());
  callback.set_model(one_weight());
  callback.on_train_begin();
  callback.on_train_batch_begin(0);
  callback.on_train_batch_end(0, {{"loss", 1}});
  Logs logs{{"accuracy", 0.5}};
  callback.on_epoch_end(4, logs);
  callback.on_train_end({});
  EXPECT_EQ(scalars_in(folder / "train"),
            (std::vector<std::string>{"epoch_accuracy@4=0.5", "epoch_learning_rate@4=0.1"}));
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"train"});
}

TEST(TensorBoard, HistogramsAndSpeed) {
  const TemporaryFolder folder;
  TensorBoard callback({.log_dir = folder.path(),
                        .histogram_freq = 2,
                        .write_steps_per_second = true,
                        .update_freq = "batch"});
  callback.set_model(one_weight());
  callback.on_train_begin();
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    callback.on_epoch_begin(epoch);
    callback.on_train_batch_begin(0);
    callback.on_train_batch_end(0, {});
    Logs logs;
    callback.on_epoch_end(epoch, logs);
  }
  callback.on_train_end({});
  std::map<std::string, int> tags;
  for (const std::string& scalar : scalars_in(folder / "train"))
    ++tags[scalar.substr(scalar.find_last_of('/') + 1, 12)];
  EXPECT_EQ(tags["histogram@0="], 1);
  EXPECT_EQ(tags["histogram@2="], 1);
  EXPECT_EQ(tags["batch_steps_"], 3);
  EXPECT_EQ(tags["epoch_steps_"], 3);
}

TEST(TensorBoard, Errors) {
  EXPECT_ERROR(TensorBoard({.write_images = true}), UnimplementedError, "images of weights");
  EXPECT_ERROR(TensorBoard({.profile_batch = 2}), UnimplementedError, "profiles");
  EXPECT_ERROR(TensorBoard({.update_freq = "step"}), InvalidArgumentError, "Got \"step\"");
  EXPECT_ERROR(TensorBoard({.update_freq = 0}), InvalidArgumentError, "must be positive");
  EXPECT_ERROR(TensorBoard({.histogram_freq = -1}), InvalidArgumentError, "cannot be negative");
}

}  // namespace
