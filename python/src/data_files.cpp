#include "alula/io/csv.h"
#include "python/src/data.h"
#include "python/src/ops.h"

namespace alula::python {
namespace {

using data::Dataset;

char one_character(const std::string& text, const char* what) {
  require(text.size() == 1, "csv: {} must be one character. Got '{}'.", what, text);
  return text[0];
}

Dataset csv(nb::handle files, bool header, nb::handle column_names, nb::handle select_columns,
            const std::vector<nb::object>& defaults, const std::string& field_delim,
            bool use_quote_delim, const std::string& na_value) {
  data::CsvOptions options{.header = header,
                           .column_names = to_strings(column_names),
                           .select_columns = to_strings(select_columns),
                           .field_delim = one_character(field_delim, "field_delim"),
                           .use_quote_delim = use_quote_delim,
                           .na_value = na_value};
  for (const nb::object& value : defaults) options.column_defaults.push_back(to_tensor(value));
  const std::vector<std::string> names = to_strings(files);
  return without_lock([&] { return Dataset::csv(names, options); });
}

/// The fields of a file's first record: its columns' names, if it has a header.
nb::list csv_fields(const std::string& file, const std::string& field_delim, bool use_quote_delim) {
  io::CsvReader reader(file, {.field_delim = one_character(field_delim, "field_delim"),
                              .use_quote_delim = use_quote_delim,
                              .header = false});
  std::vector<std::string_view> fields;
  nb::list names;
  if (!reader.read(fields)) return names;
  for (const std::string_view field : fields) names.append(nb::str(field.data(), field.size()));
  return names;
}

/// Keras's labels: "inferred", None or numbers.
data::ImageLabels to_labels(nb::handle labels) {
  if (labels.is_none()) return "none";
  if (PyUnicode_Check(labels.ptr())) return nb::cast<std::string>(labels).c_str();
  std::vector<int32_t> numbers;
  for (const int64_t label : to_ints(labels, "image_dataset_from_directory: labels"))
    numbers.push_back(static_cast<int32_t>(label));
  return numbers;
}

std::string or_none(nb::handle text, const char* none) {
  return text.is_none() ? none : nb::cast<std::string>(text);
}

nb::object images(const std::string& directory, nb::handle labels, nb::handle label_mode,
                  nb::handle class_names, const std::string& color_mode, IntLike batch_size,
                  nb::handle image_size, bool shuffle, nb::handle seed, nb::handle split,
                  nb::handle subset, const std::string& interpolation) {
  const std::vector<int64_t> size = to_ints(image_size, "image_dataset_from_directory: image_size");
  require(size.size() == 2,
          "image_dataset_from_directory: image_size is a height and a width. Got {} numbers.",
          size.size());
  const data::ImageDatasetOptions options{
      .labels = to_labels(labels),
      .label_mode = or_none(label_mode, "none"),
      .class_names = to_strings(class_names),
      .color_mode = color_mode,
      .batch_size = batch_size.value_or(0),
      .image_size = {size[0], size[1]},
      .shuffle = shuffle,
      .seed = to_seed(seed),
      .validation_split = split.is_none() ? 0 : nb::cast<double>(split),
      .subset = or_none(subset, ""),
      .interpolation = interpolation.c_str()};
  const data::ImageDataset dataset =
      without_lock([&] { return data::image_dataset_from_directory(directory, options); });
  nb::object object = nb::cast(Dataset(dataset));
  object.attr("class_names") = dataset.class_names;
  object.attr("file_paths") = dataset.file_paths;
  return object;
}

}  // namespace

void bind_data_files(nb::module_& m) {
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
  m.def(
      "_list_files",
      [](const std::string& pattern, bool shuffle, nb::handle seed) {
        const data::ListFilesOptions options{.shuffle = shuffle, .seed = to_seed(seed)};
        return without_lock([&] { return Dataset::list_files(pattern, options); });
      },
      "pattern"_a, "shuffle"_a, "seed"_a.none());
  m.def("_numpy",
        [](const std::string& file) { return without_lock([&] { return Dataset::numpy(file); }); });
  m.def("_csv", &csv);
  m.def("_csv_fields", &csv_fields);
  m.def("_images", &images, "directory"_a, "labels"_a.none(), "label_mode"_a.none(),
        "class_names"_a.none(), "color_mode"_a, "batch_size"_a.none(), "image_size"_a, "shuffle"_a,
        "seed"_a.none(), "validation_split"_a.none(), "subset"_a.none(), "interpolation"_a);
  m.def("_texts", &to_strings);
  m.def("_rearranged", [](const Dataset& dataset, nb::handle nest) {
    return rearranged(dataset, to_structure(nest));
  });
}

}  // namespace alula::python
