#pragma once
#include <string>

#include "alula/keras/datasets/split.h"

/// 70,000 handwritten digits of 28x28 pixels.
namespace alula::keras::datasets::mnist {

/// The data set that comes with Alula; needs no network. Images are uint8[n,28,28], 0 the
/// background; labels uint8[n], 0 to 9. 60,000 are for training, 10,000 for testing.
///   auto [train, test] = keras::datasets::mnist::load_data();
Splits load_data();

/// The same from a folder of one's own that holds the four files of MNIST, with or without ".gz".
/// Throws NotFoundError or DataLossError that names the file.
Splits load_data(const std::string& directory);

}  // namespace alula::keras::datasets::mnist
