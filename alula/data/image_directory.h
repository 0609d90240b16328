#pragma once
#include <string>
#include <vector>

#include "alula/data/dataset.h"
#include "alula/image/resize.h"

namespace alula::data {

/// Where the labels of images come from: "inferred" from the names of folders, "none", or a list
/// with one for each file, in the order of their paths.
class ImageLabels {
 public:
  ImageLabels() = default;
  ImageLabels(const char* word);
  ImageLabels(std::vector<int32_t> labels)
      : inferred_(false), given_(true), labels_(std::move(labels)) {}
  bool inferred() const { return inferred_; }
  bool given() const { return given_; }
  const std::vector<int32_t>& labels() const { return labels_; }

 private:
  bool inferred_ = true;
  bool given_ = false;
  std::vector<int32_t> labels_;
};

struct ImageDatasetOptions {
  ImageLabels labels = "inferred";
  std::string label_mode = "int";             // "int", "categorical", "binary" or "none"
  std::vector<std::string> class_names = {};  // folders, in the order of their labels; all, sorted
  std::string color_mode = "rgb";             // "rgb", "rgba" or "grayscale"
  int64_t batch_size = 32;                    // 0: no batches
  Size2 image_size = {256, 256};              // height and width
  bool shuffle = true;
  random::Seed seed = {};
  double validation_split = 0;  // the part of the files that is kept for validation
  std::string subset = "";      // then "training" or "validation"
  ResizeMethod interpolation = "bilinear";
};

/// A data set of images, and what it knows of them.
class ImageDataset : public Dataset {
 public:
  ImageDataset(const Dataset& dataset, std::vector<std::string> names,
               std::vector<std::string> paths)
      : Dataset(dataset), class_names(std::move(names)), file_paths(std::move(paths)) {}
  std::vector<std::string> class_names;
  std::vector<std::string> file_paths;
};

/// The images (.jpg, .jpeg, .png) in the folders of a directory, as Keras reads them: float32
/// [batch, height, width, channels] with values from 0 to 255, and as labels the numbers of the
/// folders ("int": int32 [batch]), vectors with a 1 ("categorical": float32 [batch, classes]), or 0
/// and 1 ("binary": float32 [batch, 1]). Images are decoded in threads, and ahead of the reader.
///   const auto train = image_dataset_from_directory(
///       "flowers", {.image_size = {180, 180}, .seed = 1, .validation_split = 0.2,
///                   .subset = "training"});
///   train.class_names  ->  {"daisy", "rose", …}
/// The order of a seed is not Keras's.
ImageDataset image_dataset_from_directory(const std::string& directory,
                                          const ImageDatasetOptions& options = {});

}  // namespace alula::data
