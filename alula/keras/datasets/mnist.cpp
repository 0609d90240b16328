#include "alula/keras/datasets/mnist.h"

#include <filesystem>
#include <system_error>

#include "alula/io/idx.h"
#include "alula/keras/datasets/find.h"

namespace alula::keras::datasets::mnist {
namespace {

/// The compressed file, or the plain one where only that is there.
std::string file_of(const std::string& directory, const char* name) {
  const auto plain = std::filesystem::path(directory) / name;
  std::error_code ignored;
  if (std::filesystem::exists(plain, ignored) &&
      !std::filesystem::exists(plain.string() + ".gz", ignored))
    return plain.string();
  return plain.string() + ".gz";
}

Split read_split(const std::string& directory, const char* images, const char* labels) {
  const std::string x_file = file_of(directory, images);
  const std::string y_file = file_of(directory, labels);
  Split split{io::read_idx(x_file), io::read_idx(y_file)};
  const Spec &x = split.x.spec(), &y = split.y.spec();
  require<DataLossError>(x.dtype == uint8 && x.rank() == 3 && x.shape[1] == 28 && x.shape[2] == 28,
                         "{}: MNIST's images are uint8[n,28,28]. Got {}.", x_file, x);
  require<DataLossError>(y.dtype == uint8 && y.rank() == 1,
                         "{}: MNIST's labels are uint8[n]. Got {}.", y_file, y);
  require<DataLossError>(x.shape[0] == y.shape[0], "{}: it has {} labels, but {} has {} images.",
                         y_file, y.shape[0], x_file, x.shape[0]);
  return split;
}

}  // namespace

Splits load_data() { return load_data(find_dataset("mnist")); }

Splits load_data(const std::string& directory) {
  Splits splits;
  splits.train = read_split(directory, "train-images-idx3-ubyte", "train-labels-idx1-ubyte");
  splits.test = read_split(directory, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte");
  return splits;
}

}  // namespace alula::keras::datasets::mnist
