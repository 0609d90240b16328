#include "alula/data/image_directory.h"

#include <filesystem>
#include <set>

#include "alula/data/dataset_test.h"
#include "alula/io/jpeg.h"
#include "alula/io/png.h"
#include "alula/io/temporary_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

/// A picture of one colour.
Tensor plain(int64_t height, int64_t width, uint8_t value) {
  return Tensor(std::vector<uint8_t>(static_cast<size_t>(height * width * 3), value),
                {height, width, 3});
}

/// Two classes of images, five and three, whose value is ten times their number.
class Pictures {
 public:
  Pictures() {
    for (const char* name : {"cats", "dogs", ".hidden"})
      std::filesystem::create_directories(folder / name);
    for (int i = 0; i < 8; ++i) {
      const bool cat = i < 5;
      const Tensor image = plain(4 + i, 6, static_cast<uint8_t>(10 * i));
      put(folder / fmt::format("{}/{}.{}", cat ? "cats" : "dogs", i, cat ? "png" : "JPG"),
          cat ? io::encode_png(image) : io::encode_jpeg(image));
    }
    put(folder / "cats/notes.txt", "no image");
    put(folder / ".hidden/9.png", "no image either");
  }
  TemporaryFolder folder;
  const std::string& path() const { return folder.path(); }
};

}  // namespace

TEST(ImageDirectory, ReadsImagesAndLabels) {
  const Pictures pictures;
  const ImageDataset images = image_dataset_from_directory(
      pictures.path(), {.batch_size = 3, .image_size = {5, 4}, .shuffle = false});
  EXPECT_EQ(images.class_names, (std::vector<std::string>{"cats", "dogs"}));
  EXPECT_EQ(images.file_paths.size(), 8u);
  EXPECT_EQ(to_string(images.element_spec()), "(float32[?,5,4,3], int32[?])");
  EXPECT_EQ(images.cardinality(), 3);
  int64_t i = 0;
  for (const Element& batch : images) {
    const auto [x, y] = batch.tensors<2>();
    for (int64_t k = 0; k < y.size(); ++k, ++i) {
      EXPECT_EQ(y.to_vector<int32_t>()[static_cast<size_t>(k)], i < 5 ? 0 : 1);
      EXPECT_NEAR(row_of({x}, k)[0].to_vector<float>()[7], 10.f * static_cast<float>(i), 1.f);
    }
  }
  EXPECT_EQ(i, 8);
}

TEST(ImageDirectory, HasLabelsOfManyKinds) {
  const Pictures pictures;
  const auto spec = [&](ImageDatasetOptions options) {
    options.image_size = {2, 2};
    options.shuffle = false;
    return to_string(image_dataset_from_directory(pictures.path(), options).element_spec());
  };
  EXPECT_EQ(spec({.label_mode = "categorical"}), "(float32[?,2,2,3], float32[?,2])");
  EXPECT_EQ(spec({.label_mode = "binary"}), "(float32[?,2,2,3], float32[?,1])");
  EXPECT_EQ(spec({.label_mode = "none"}), "float32[?,2,2,3]");
  EXPECT_EQ(spec({.labels = "none"}), "float32[?,2,2,3]");
  EXPECT_EQ(spec({.color_mode = "grayscale", .batch_size = 0}), "(float32[2,2,1], int32[])");
}

TEST(ImageDirectory, SplitsOffAValidationSubset) {
  const Pictures pictures;
  const auto files = [&](const char* subset) {
    const auto images = image_dataset_from_directory(
        pictures.path(), {.seed = 5, .validation_split = 0.25, .subset = subset});
    return std::set<std::string>(images.file_paths.begin(), images.file_paths.end());
  };
  std::set<std::string> all = files("training");
  const std::set<std::string> validation = files("validation");
  EXPECT_EQ(all.size(), 6u);
  EXPECT_EQ(validation.size(), 2u);
  all.insert(validation.begin(), validation.end());
  EXPECT_EQ(all.size(), 8u);
}

TEST(ImageDirectory, NamesAFileThatIsNoImage) {
  const Pictures pictures;
  put(pictures.folder / "dogs/broken.jpg", "not really");
  const auto images =
      image_dataset_from_directory(pictures.path(), {.batch_size = 0, .image_size = {2, 2}});
  EXPECT_ERROR(texts(images), InvalidArgumentError, "broken.jpg");
  EXPECT_EQ(texts(images.ignore_errors()).size(), 8u);
}

TEST(ImageDirectory, ChecksWhatItIsGiven) {
  const Pictures pictures;
  const auto make = [&](const ImageDatasetOptions& options) {
    return image_dataset_from_directory(pictures.path(), options);
  };
  EXPECT_ERROR(image_dataset_from_directory("/no/such"), NotFoundError, "there is no folder");
  EXPECT_ERROR(make({.labels = "guessed"}), InvalidArgumentError, "Got \"guessed\"");
  EXPECT_ERROR(make({.labels = std::vector<int32_t>{1}}), InvalidArgumentError,
               "there must be a label for each");
  EXPECT_ERROR(make({.label_mode = "x"}), InvalidArgumentError, "label_mode must be");
  EXPECT_ERROR(make({.class_names = {"cats"}}), InvalidArgumentError, "class_names must be");
  EXPECT_ERROR(make({.labels = "none", .class_names = {"a"}}), InvalidArgumentError, "class_names");
  EXPECT_ERROR(make({.color_mode = "x"}), InvalidArgumentError, "color_mode must be");
  EXPECT_ERROR(make({.batch_size = -1}), InvalidArgumentError, "batch_size");
  EXPECT_ERROR(make({.validation_split = 2}), InvalidArgumentError, "validation_split must be");
  EXPECT_ERROR(make({.validation_split = 0.5}), InvalidArgumentError, "go together");
  EXPECT_ERROR(make({.validation_split = 0.5, .subset = "test"}), InvalidArgumentError, "subset");
  EXPECT_ERROR(make({.validation_split = 0.5, .subset = "training"}), InvalidArgumentError,
               "give a seed");
  EXPECT_ERROR(image_dataset_from_directory(pictures.folder / "cats"), NotFoundError,
               "there are no images");
  std::filesystem::create_directories(pictures.folder / "cows");
  EXPECT_ERROR(make({.label_mode = "binary"}), InvalidArgumentError, "takes two classes. Got 3.");
}
