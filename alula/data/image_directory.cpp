#include "alula/data/image_directory.h"

#include <algorithm>
#include <filesystem>

#include "alula/io/file.h"
#include "alula/io/jpeg.h"
#include "alula/io/png.h"
#include "alula/ops/cast.h"
#include "alula/ops/host_function.h"

namespace alula::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "image_dataset_from_directory";
/// Without batches, as many elements wait to be shuffled.
constexpr int64_t kShuffleBuffer = 1024;
/// With them, so many batches.
constexpr int64_t kShuffleBatches = 8;

struct Files {
  std::vector<std::string> paths;
  std::vector<int32_t> labels;
};

bool is_image(const fs::path& path) {
  std::string end = path.extension().string();
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return end == ".jpg" || end == ".jpeg" || end == ".png";
}

/// All images below a folder, sorted.
std::vector<std::string> images_below(const fs::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && is_image(entry.path())) found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

/// The folders whose names are the classes.
std::vector<std::string> classes_in(const std::string& directory,
                                    const std::vector<std::string>& wanted) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && !name.starts_with('.')) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  if (wanted.empty()) return found;
  std::vector<std::string> sorted = wanted;
  std::sort(sorted.begin(), sorted.end());
  require(sorted == found, "{}: class_names must be the folders in '{}': {}. Got {}.", kName,
          directory, fmt::join(found, ", "), fmt::join(wanted, ", "));
  return wanted;
}

Files find_files(const std::string& directory, const ImageLabels& labels,
                 const std::vector<std::string>& classes) {
  Files files;
  if (!labels.inferred()) {
    files.paths = images_below(directory);
    files.labels = labels.labels();
    require(!labels.given() || files.labels.size() == files.paths.size(),
            "{}: there must be a label for each of the {} images in '{}'. Got {}.", kName,
            files.paths.size(), directory, files.labels.size());
    return files;
  }
  for (size_t i = 0; i < classes.size(); ++i)
    for (std::string& path : images_below(fs::path(directory) / classes[i])) {
      files.paths.push_back(std::move(path));
      files.labels.push_back(static_cast<int32_t>(i));
    }
  return files;
}

/// Brings files into an order that a key decides.
void shuffle_files(Files& files, uint64_t key) {
  for (size_t left = files.paths.size(), i = 0; left > 1; --left, ++i) {
    const random::Words words = random::Philox::words(key, 0, i);
    const size_t place = (uint64_t{words[1]} << 32 | words[0]) % left;
    std::swap(files.paths[place], files.paths[left - 1]);
    if (!files.labels.empty()) std::swap(files.labels[place], files.labels[left - 1]);
  }
}

/// The last part is for validation.
void keep_subset(Files& files, const ImageDatasetOptions& options) {
  if (options.subset.empty()) return;
  const auto all = static_cast<double>(files.paths.size());
  const auto held_back = static_cast<std::ptrdiff_t>(options.validation_split * all);
  const bool training = options.subset == "training";
  const auto keep = [&](auto& list) {
    if (list.empty()) return;
    if (training)
      list.erase(list.end() - held_back, list.end());
    else
      list.erase(list.begin(), list.end() - held_back);
  };
  keep(files.paths);
  keep(files.labels);
}

int64_t channels_of(const std::string& color_mode) {
  if (color_mode == "rgb") return 3;
  if (color_mode == "rgba") return 4;
  require(color_mode == "grayscale",
          "{}: color_mode must be \"rgb\", \"rgba\" or \"grayscale\". Got \"{}\".", kName,
          color_mode);
  return 1;
}

Tensor load_image(const std::string& path, int64_t channels, Size2 size, ResizeMethod method) {
  const std::string bytes = io::read_file(path);
  try {
    const Tensor pixels = io::is_jpeg(bytes) ? io::decode_jpeg(bytes, {.channels = channels})
                                             : io::decode_png(bytes, {.channels = channels});
    return cast(image::resize(pixels, size, {.method = method}), float32);
  } catch (...) {
    rethrow_from(fmt::format("'{}': ", path));
  }
}

Tensor labels_of(const Files& files, const std::string& mode, int64_t classes) {
  const Tensor labels(files.labels);
  if (mode == "int") return labels;
  const auto count = static_cast<int64_t>(files.labels.size());
  if (mode == "binary") return cast(labels, float32).reshaped({count, 1});
  Tensor result(std::vector<float>(static_cast<size_t>(count * classes)), {count, classes});
  auto* to = static_cast<float*>(result.mutable_data());
  for (int64_t i = 0; i < count; ++i) to[i * classes + files.labels[static_cast<size_t>(i)]] = 1;
  return result;
}

void check(const std::string& directory, const ImageDatasetOptions& options) {
  const std::string& mode = options.label_mode;
  require(mode == "int" || mode == "categorical" || mode == "binary" || mode == "none",
          "{}: label_mode must be \"int\", \"categorical\", \"binary\" or \"none\". Got \"{}\".",
          kName, mode);
  require(options.class_names.empty() || options.labels.inferred(),
          "{}: class_names go with labels that are inferred.", kName);
  require(options.batch_size >= 0, "{}: batch_size must not be negative. Got {}.", kName,
          options.batch_size);
  require(options.validation_split >= 0 && options.validation_split < 1,
          "{}: validation_split must be at least 0 and less than 1. Got {}.", kName,
          options.validation_split);
  const std::string& subset = options.subset;
  require(subset.empty() || subset == "training" || subset == "validation",
          "{}: subset must be \"training\" or \"validation\". Got \"{}\".", kName, subset);
  require(subset.empty() == (options.validation_split == 0),
          "{}: subset and validation_split go together. Got \"{}\" and {}.", kName, subset,
          options.validation_split);
  require(subset.empty() || !options.shuffle || options.seed.given(),
          "{}: give a seed, or set shuffle = false, so that the training and the validation subset "
          "have no image in common.",
          kName);
  require<NotFoundError>(fs::is_directory(directory), "{}: there is no folder '{}'.", kName,
                         directory);
}

}  // namespace

ImageLabels::ImageLabels(const char* word) : inferred_(std::string_view(word) == "inferred") {
  require(inferred_ || std::string_view(word) == "none",
          "{}: labels must be \"inferred\", \"none\" or a list. Got \"{}\".", kName, word);
}

ImageDataset image_dataset_from_directory(const std::string& directory,
                                          const ImageDatasetOptions& options) {
  check(directory, options);
  const int64_t channels = channels_of(options.color_mode);
  std::vector<std::string> classes;
  if (options.labels.inferred()) classes = classes_in(directory, options.class_names);
  Files files = find_files(directory, options.labels, classes);
  // The same in every call with one seed: training and validation have no file in common.
  if (options.shuffle)
    shuffle_files(files, options.seed.given() ? random::mix(options.seed.value(), 1)
                                              : random::new_key(kName));
  keep_subset(files, options);
  require<NotFoundError>(!files.paths.empty(),
                         "{}: there are no images (.jpg, .jpeg, .png) {}in '{}'.", kName,
                         options.labels.inferred() ? "in folders " : "", directory);
  const bool has_labels =
      options.label_mode != "none" && (options.labels.inferred() || options.labels.given());
  auto count = static_cast<int64_t>(classes.size());
  for (const int32_t label : files.labels) {
    require(label >= 0, "{}: a label must not be negative. Got {}.", kName, label);
    count = std::max<int64_t>(count, label + 1);
  }
  require(options.label_mode != "binary" || !has_labels || count == 2,
          "{}: label_mode \"binary\" takes two classes. Got {}.", kName, count);

  const auto load = [channels, size = options.image_size,
                     method = options.interpolation](const Tensor& path) {
    return host_function(
        [=](const Tensor& name) {
          return load_image(name.item<std::string>(), channels, size, method);
        },
        path, {float32, {size.height, size.width, channels}});
  };
  const Tensor paths(files.paths);
  Dataset dataset =
      has_labels ? Dataset::from_tensor_slices({paths, labels_of(files, options.label_mode, count)})
                 : Dataset::from_tensor_slices(paths);
  if (options.shuffle)
    dataset = dataset.shuffle(
        options.batch_size > 0 ? kShuffleBatches * options.batch_size : kShuffleBuffer,
        {.seed = options.seed});
  const MapOptions parallel{.num_parallel_calls = AUTOTUNE};
  dataset = has_labels
                ? dataset.map([load](const Tensor& path,
                                     const Tensor& label) { return std::tuple(load(path), label); },
                              parallel)
                : dataset.map(load, parallel);
  if (options.batch_size > 0) dataset = dataset.batch(options.batch_size);
  return {dataset.prefetch(AUTOTUNE), std::move(classes), std::move(files.paths)};
}

}  // namespace alula::data
