#pragma once
#include <string>
#include <vector>

namespace alula::io {

/// The files and folders whose paths match a pattern, sorted. `*` stands for any characters but a
/// slash, `?` for one of them, `[a-c]` for one of a set; a backslash takes away the meaning of what
/// follows it. Names that begin with a dot match only a dot. Throws NotFoundError that names the
/// pattern if there are none, as Dataset.list_files does.
///   glob("shards/train-*.tfrecord")  ->  {"shards/train-0.tfrecord", "shards/train-1.tfrecord"}
std::vector<std::string> glob(const std::string& pattern);
/// What matches any of the patterns, each path once.
std::vector<std::string> glob(const std::vector<std::string>& patterns);

}  // namespace alula::io
