#include "python/src/ops.h"

// tf.io: records, examples and comma-separated values.
namespace alula::python {
namespace {

io::FeatureSpecs to_features(nb::handle features) {
  io::FeatureSpecs specs;
  for (const auto& [name, feature] : nb::cast<nb::dict>(features)) {
    const DType dtype = to_dtype(feature.attr("dtype"));
    const std::string key = nb::cast<std::string>(name);
    if (!nb::hasattr(feature, "shape")) {
      specs.emplace(key, io::VarLenFeature{dtype});
      continue;
    }
    const nb::object missing = feature.attr("default_value");
    specs.emplace(key,
                  io::FixedLenFeature{to_shape(feature.attr("shape")), dtype,
                                      missing.is_none() ? Tensor() : to_tensor(missing, dtype)});
  }
  return specs;
}

template <std::map<std::string, Tensor> (*kFunction)(const Tensor&, const io::FeatureSpecs&)>
void def_parse(nb::module_& m, const char* name, const std::string& doc) {
  m.def(
      name,
      [](Like serialized, nb::handle features, nb::handle, nb::handle) {
        const Tensor bytes = serialized.tensor();
        const io::FeatureSpecs specs = to_features(features);
        const std::map<std::string, Tensor> parsed =
            without_lock([&] { return kFunction(bytes, specs); });
        nb::dict result;
        for (const auto& [key, value] : parsed) result[key.c_str()] = wrap(value);
        return result;
      },
      "serialized"_a, "features"_a, "example_names"_a = nb::none(), name_argument(), doc.c_str());
}

/// The bytes of an Example. Each feature is a pair: "bytes_list", "float_list" or "int64_list", and
/// the values.
nb::bytes serialize(const nb::dict& features) {
  io::Example example;
  for (const auto& [name, pair] : features) {
    const auto kind = nb::cast<std::string>(pair[0]);
    const nb::object values = nb::borrow(pair[1]);
    io::Feature feature;
    if (kind == "bytes_list") {
      std::vector<std::string> texts;
      for (const nb::handle text : values) texts.push_back(to_text(text, "bytes_list"));
      feature = io::Feature(std::move(texts));
    } else if (kind == "float_list") {
      feature = io::Feature(nb::cast<std::vector<float>>(values));
    } else if (kind == "int64_list") {
      feature = io::Feature(nb::cast<std::vector<int64_t>>(values));
    }
    example.features.emplace(nb::cast<std::string>(name), std::move(feature));
  }
  const std::string bytes = example.bytes();
  return nb::bytes(bytes.data(), bytes.size());
}

/// What `serialize` takes, from the bytes.
nb::dict parse(const nb::bytes& serialized) {
  nb::dict result;
  const io::Example example =
      io::parse_example_bytes(std::string_view(serialized.c_str(), serialized.size()));
  for (const auto& [name, feature] : example.features) {
    nb::list texts;
    for (const std::string& text : feature.bytes) texts.append(nb::bytes(text.data(), text.size()));
    const bool has_bytes = feature.kind == io::FeatureKind::kBytes;
    const bool has_floats = feature.kind == io::FeatureKind::kFloat;
    const bool has_ints = feature.kind == io::FeatureKind::kInt64;
    result[name.c_str()] = has_bytes    ? nb::make_tuple("bytes_list", texts)
                           : has_floats ? nb::make_tuple("float_list", nb::cast(feature.floats))
                           : has_ints   ? nb::make_tuple("int64_list", nb::cast(feature.ints))
                                        : nb::make_tuple(nb::none(), nb::list());
  }
  return result;
}

/// A default that is only a dtype: the field must be there.
Tensor no_default(DType dtype) { return Tensor::uninitialized({dtype, {0}}); }

/// A file of records, open until it is closed.
struct Writer {
  std::unique_ptr<io::RecordWriter> file;

  io::RecordWriter& open() const {
    require<FailedPreconditionError>(file != nullptr, "TFRecordWriter: the file is closed.");
    return *file;
  }
};

void bind_writer(nb::module_& m) {
  nb::class_<Writer>(m, "TFRecordWriter",
                     "Writes a TFRecord file.\n\n>>> import os, tempfile\n"
                     ">>> path = os.path.join(tempfile.mkdtemp(), \"a.tfrecord\")\n"
                     ">>> with tf.io.TFRecordWriter(path) as writer:\n"
                     "...     writer.write(b\"one record\")")
      .def(
          "__init__",
          [](Writer* self, nb::handle path, nb::handle options) {
            io::RecordWriterOptions how;
            if (PyUnicode_Check(options.ptr())) {
              how.compression_type = std::string_view(nb::cast<std::string>(options));
            } else if (!options.is_none()) {
              const nb::object type = options.attr("compression_type");
              if (!type.is_none())
                how.compression_type = std::string_view(nb::cast<std::string>(type));
              const nb::object level = options.attr("compression_level");
              if (!level.is_none()) how.compression_level = nb::cast<int>(level);
            }
            const auto fspath = nb::steal(PyOS_FSPath(path.ptr()));
            if (!fspath.is_valid()) throw nb::python_error();
            new (self)
                Writer{std::make_unique<io::RecordWriter>(to_text(fspath, "TFRecordWriter"), how)};
          },
          "path"_a, "options"_a = nb::none())
      .def(
          "write",
          [](const Writer& self, nb::handle record) {
            const std::string bytes = to_text(record, "TFRecordWriter.write");
            self.open().write(bytes);
          },
          "record"_a, "Appends a record of bytes.")
      .def(
          "flush", [](const Writer& self) { self.open().flush(); },
          "Lets other processes see what was written.")
      .def(
          "close",
          [](Writer& self) {
            if (self.file != nullptr) self.file->close();
            self.file.reset();
          },
          "Writes what is left, and closes the file.")
      .def("__enter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__exit__", [](Writer& self, const nb::args&) {
        if (self.file != nullptr) self.file->close();
        self.file.reset();
      });
}

}  // namespace

void bind_ops_io_records(nb::module_& m) {
  def_parse<io::parse_example>(
      m, "parse_example",
      described("The features asked for of serialized Examples, by name. Those of a VarLenFeature "
                "are filled up with zeros or empty strings to the longest.",
                "parse_example"));
  def_parse<io::parse_single_example>(
      m, "parse_single_example",
      described("The features of one serialized Example, by name.", "parse_example"));
  m.def(
      "decode_csv",
      [](Like records, nb::handle record_defaults, const std::string& field_delim,
         bool use_quote_delim, const std::string& na_value, nb::handle select_cols, nb::handle) {
        require(field_delim.size() == 1, "decode_csv: field_delim must be one character. Got {}.",
                field_delim);
        std::vector<Tensor> defaults;
        for (const nb::handle value : record_defaults)
          defaults.push_back(nb::isinstance<DTypeObject>(value)
                                 ? no_default(nb::cast<DTypeObject>(value).dtype)
                                 : to_tensor(value));
        const Tensor lines = records.tensor();
        const io::DecodeCsvOptions options{.field_delim = field_delim[0],
                                           .use_quote_delim = use_quote_delim,
                                           .na_value = na_value,
                                           .select_cols = to_ints(select_cols, "select_cols")};
        return wrap_all(without_lock(work_of(lines) * 64,
                                     [&] { return io::decode_csv(lines, defaults, options); }));
      },
      "records"_a, "record_defaults"_a, "field_delim"_a = ",", "use_quote_delim"_a = true,
      "na_value"_a = "", "select_cols"_a = nb::none(), name_argument(),
      described("The columns of records of comma-separated values. A default for each says its "
                "dtype, and what stands in for a missing field.\n\n"
                ">>> a, b = tf.io.decode_csv([\"1,2.5\", \"3,\"], [0, 0.5])\n"
                ">>> a.numpy(), b.numpy()\n(array([1, 3], dtype=int32), "
                "array([2.5, 0.5], dtype=float32))",
                "decode_csv")
          .c_str());
  m.def(
      "decode_raw",
      [](Like input_bytes, DTypeLike out_type, bool little_endian, nb::handle fixed_length,
         nb::handle) {
        return wrap(io::decode_raw(input_bytes.tensor(), out_type.get(),
                                   {.little_endian = little_endian,
                                    .fixed_length = to_int(fixed_length, "fixed_length")}));
      },
      "input_bytes"_a, "out_type"_a, "little_endian"_a = true, "fixed_length"_a = nb::none(),
      name_argument(),
      described("The bytes of strings as numbers, along a new last axis.\n\n"
                ">>> tf.io.decode_raw([\"abcd\"], tf.int16).numpy()\n"
                "array([[25185, 25699]], dtype=int16)",
                "decode_raw")
          .c_str());
  m.def("_serialize_example", &serialize, "features"_a);
  m.def("_parse_example", &parse, "serialized"_a);
  bind_writer(m);
}

}  // namespace alula::python
