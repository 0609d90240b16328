#pragma once
#include <string>
#include <vector>

namespace alula::keras::datasets {

/// The folders that may hold data sets, in the order in which they are looked at: ALULA_DATA of the
/// environment, the data of the source tree that the library was built from, and those installed
/// with the library.
std::vector<std::string> data_folders();

/// The first of those folders' subfolder `name` that is there, or NotFoundError that says where it
/// looked.
std::string find_dataset(const std::string& name);

}  // namespace alula::keras::datasets
