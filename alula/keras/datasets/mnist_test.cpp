#include "alula/keras/datasets/mnist.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "alula/io/file.h"
#include "alula/io/temporary_test.h"
#include "alula/keras/datasets/find.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras::datasets;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

constexpr const char* kTrainImages = "train-images-idx3-ubyte.gz";
constexpr const char* kTrainLabels = "train-labels-idx1-ubyte.gz";
constexpr const char* kTestImages = "t10k-images-idx3-ubyte.gz";
constexpr const char* kTestLabels = "t10k-labels-idx1-ubyte.gz";

std::array<int, 10> counts(const Tensor& labels) {
  std::array<int, 10> result{};
  for (uint8_t label : labels.span<uint8_t>()) ++result.at(label);
  return result;
}

int64_t sum(const Tensor& images) {
  const auto pixels = images.span<uint8_t>();
  return std::accumulate(pixels.begin(), pixels.end(), int64_t{0});
}

/// A small MNIST: IDX files, not compressed but under the usual names.
void put_small(const TemporaryFolder& folder, int images, int labels) {
  const auto header = [](char rank, int count) {
    return std::string{0, 0, 8, rank, 0, 0, 0, static_cast<char>(count)};
  };
  const std::string size{0, 0, 0, 28, 0, 0, 0, 28};
  for (const char* file : {kTrainImages, kTestImages})
    put(folder / file, header(3, images) + size + std::string(images * 784, 'x'));
  for (const char* file : {kTrainLabels, kTestLabels})
    put(folder / file, header(1, labels) + std::string(labels, 1));
}

/// Sets a variable of the environment while it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace

TEST(Mnist, IsLoaded) {
  const auto [train, test] = mnist::load_data();
  EXPECT_EQ(to_string(train.x.spec()), "uint8[60000,28,28]");
  EXPECT_EQ(to_string(train.y.spec()), "uint8[60000]");
  EXPECT_EQ(to_string(test.x.spec()), "uint8[10000,28,28]");
  EXPECT_EQ(to_string(test.y.spec()), "uint8[10000]");
  EXPECT_EQ(counts(train.y),
            (std::array<int, 10>{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}));
  EXPECT_EQ(counts(test.y),
            (std::array<int, 10>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}));
  EXPECT_EQ(sum(train.x), 1567298545);
  EXPECT_EQ(sum(test.x), 264923200);
  EXPECT_EQ(train.y.span<uint8_t>()[0], 5);
  EXPECT_EQ(test.y.span<uint8_t>()[0], 7);
}

TEST(Mnist, IsLoadedFromAFolder) {
  const TemporaryFolder folder;
  put_small(folder, 3, 3);
  const auto splits = mnist::load_data(folder.path());
  EXPECT_EQ(to_string(splits.train.x.spec()), "uint8[3,28,28]");
  EXPECT_EQ(to_string(splits.test.y.spec()), "uint8[3]");
  // Under their names without ".gz", too.
  for (const char* file : {kTrainImages, kTrainLabels, kTestImages, kTestLabels}) {
    const std::string name = folder / file;
    std::filesystem::rename(name, name.substr(0, name.size() - 3));
  }
  EXPECT_EQ(to_string(mnist::load_data(folder.path()).test.x.spec()), "uint8[3,28,28]");
}

TEST(Mnist, NamesTheFileThatIsDamaged) {
  const std::string source = find_dataset("mnist");
  for (const char* file : {kTestImages, kTestLabels}) {
    const TemporaryFolder folder;
    put_small(folder, 2, 2);
    const std::string good = io::read_file(source + "/" + file);
    put(folder / file, good.substr(0, good.size() / 2));
    EXPECT_ERROR(mnist::load_data(folder.path()), DataLossError, folder / file + ": ");
    std::string bad = good;
    bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 0x40);
    put(folder / file, bad);
    EXPECT_ERROR(mnist::load_data(folder.path()), DataLossError, folder / file + ": ");
    put(folder / file, "PK not an IDX file");
    EXPECT_ERROR(mnist::load_data(folder.path()), DataLossError,
                 folder / file + ": this is not an IDX file");
    std::filesystem::remove(folder / file);
    EXPECT_ERROR(mnist::load_data(folder.path()), NotFoundError, folder / file + ": No such file");
  }
}

TEST(Mnist, ChecksThatFilesFitEachOther) {
  const TemporaryFolder folder;
  put_small(folder, 3, 2);
  EXPECT_ERROR(
      mnist::load_data(folder.path()), DataLossError,
      folder / kTrainLabels + ": it has 2 labels, but " + folder / kTrainImages + " has 3 images.");
  put(folder / kTrainImages, io::read_file(folder / kTrainLabels));
  EXPECT_ERROR(mnist::load_data(folder.path()), DataLossError,
               folder / kTrainImages + ": MNIST's images are uint8[n,28,28]. Got uint8[2].");
  put_small(folder, 3, 3);
  put(folder / kTestLabels, io::read_file(folder / kTestImages));
  EXPECT_ERROR(mnist::load_data(folder.path()), DataLossError,
               folder / kTestLabels + ": MNIST's labels are uint8[n]. Got uint8[3,28,28].");
}

TEST(Mnist, IsLookedForInTheEnvironmentFirst) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "mnist");
  const Environment environment("ALULA_DATA", folder.path());
  EXPECT_EQ(data_folders().front(), folder.path());
  EXPECT_EQ(find_dataset("mnist"), folder / "mnist");
  EXPECT_ERROR(mnist::load_data(), NotFoundError, folder / "mnist/train-images-idx3-ubyte.gz");
}

TEST(Mnist, IsLookedForBesideTheLibraryLast) {
  const std::string last = data_folders().back();
  EXPECT_TRUE(last.ends_with("/share/alula/data")) << last;
  std::string all;
  for (const std::string& folder : data_folders())
    all += (all.empty() ? "" : ", ") + folder + "/fmnist";
  EXPECT_ERROR(find_dataset("fmnist"), NotFoundError,
               "fmnist.load_data: the data set is not there. Looked for " + all +
                   ". Set ALULA_DATA to the folder that holds fmnist.");
}
