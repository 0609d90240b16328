#include "python/src/data.h"
#include "python/src/ops.h"

namespace alula::python {

void bind_data_files(nb::module_& m) {
  using data::Dataset;
  m.def("_text_lines", [](nb::handle files, const std::string& compression) {
    return Dataset::text_lines(to_strings(files), {.compression_type = compression});
  });
  m.def("_tfrecords", [](nb::handle files, const std::string& compression) {
    return Dataset::tfrecords(to_strings(files), {.compression_type = compression});
  });
  m.def("_write_tfrecords",
        [](const Dataset& dataset, const std::string& path, const std::string& compression) {
          return without_lock([&] {
            return data::write_tfrecords(dataset, path, {.compression_type = compression});
          });
        });
  m.def("_list_files", [](const std::string& pattern, bool shuffle, nb::handle seed) {
    const data::ListFilesOptions options{.shuffle = shuffle, .seed = to_seed(seed)};
    return without_lock([&] { return Dataset::list_files(pattern, options); });
  });
  m.def("_numpy",
        [](const std::string& file) { return without_lock([&] { return Dataset::numpy(file); }); });
}

}  // namespace alula::python
