#pragma once
#include <string>

#include "alula/data/dataset.h"

namespace alula::data {

/// Writes the elements of a data set, which must be strings, as a TFRecord file: how many there
/// were. The file appears when it is whole.
///   write_tfrecords(Dataset::text_lines({"a.txt"}), "a.tfrecord")
int64_t write_tfrecords(const Dataset& dataset, const std::string& path,
                        const TFRecordOptions& options = {});

}  // namespace alula::data
