#include "alula/io/event_writer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <span>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "alula/io/protobuf.h"
#include "alula/io/record_writer.h"
#include "alula/io/utf8.h"

namespace alula::io {
namespace {

// The numbers of the fields that are used, by message.
namespace event {
constexpr int kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;
}
namespace summary {
constexpr int kValue = 1;
}
namespace summary_value {
constexpr int kTag = 1, kTensor = 8, kMetadata = 9;
}
namespace metadata {
constexpr int kPluginData = 1, kDataClass = 4;
constexpr int kScalar = 1, kTensor = 2;  // data classes
}  // namespace metadata
namespace plugin_data {
constexpr int kPluginName = 1;
}
namespace tensor_proto {
constexpr int kDType = 1, kShape = 2, kContent = 4, kFloat = 5, kString = 8;
constexpr int kDTFloat = 1, kDTDouble = 2, kDTString = 7;  // dtypes
}  // namespace tensor_proto
namespace tensor_shape {
constexpr int kDim = 2, kSize = 1;
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

/// A new name in the folder. TensorBoard takes any with "tfevents" in it.
std::string new_file(const std::string& directory) {
  static std::atomic<int> next = 0;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  require<FailedPreconditionError>(!error, "EventWriter: cannot make the folder {}: {}.", directory,
                                   error.message());
  std::string path;
  do
    path = (std::filesystem::path(directory) / fmt::format("events.out.tfevents.{:010}.{}.{}.{}.v2",
                                                           static_cast<int64_t>(now()), host_name(),
                                                           ::getpid(), next++))
               .string();
  while (std::filesystem::exists(path, error));
  return path;
}

ProtoWriter tensor_of(int dtype, std::initializer_list<int64_t> dims) {
  ProtoWriter shape;
  for (int64_t dim : dims)
    shape.message(tensor_shape::kDim, ProtoWriter().integer(tensor_shape::kSize, dim));
  ProtoWriter tensor;
  tensor.integer(tensor_proto::kDType, dtype).message(tensor_proto::kShape, shape);
  return tensor;
}

/// The finite ones of a tensor's values.
std::vector<double> finite_values(const Tensor& tensor) {
  require(kNumericOrBool.contains(tensor.dtype()),
          "EventWriter.histogram: the values must be numbers. Got {}.", tensor.spec());
  const Tensor host = tensor.cpu();
  std::vector<double> values;
  values.reserve(static_cast<size_t>(host.size()));
  with_type(host.dtype(), [&]<class T>(Type<T>) {
    for (T value : host.span<T>())
      if (const auto number = static_cast<double>(value); std::isfinite(number))
        values.push_back(number);
  });
  return values;
}

struct Bucket {
  double left;
  double right;
  double count;
};

std::vector<Bucket> buckets_of(const std::vector<double>& values, int count) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double from = *least, width = *most / count - from / count;
  // One value: a bucket around it.
  if (!(width > 0)) return {{from - 0.5, from + 0.5, static_cast<double>(values.size())}};
  std::vector<Bucket> buckets;
  for (int i = 0; i < count; ++i)
    buckets.push_back({from + i * width, i + 1 == count ? *most : from + (i + 1) * width, 0});
  for (double value : values) {
    const double place = std::min(value / width - from / width, count - 1.0);
    buckets[static_cast<size_t>(std::max(place, 0.0))].count += 1;
  }
  return buckets;
}

}  // namespace

EventWriter::EventWriter(const std::string& directory)
    : records_(std::make_unique<RecordWriter>(
          new_file(directory), RecordWriterOptions{.existing = FileWriter::Existing::kRefuse})) {
  records_->write(ProtoWriter()
                      .float64(event::kWallTime, now())
                      .text(event::kFileVersion, "brain.Event:2")
                      .bytes());
  flush();
}

EventWriter::~EventWriter() = default;

const std::string& EventWriter::path() const { return records_->path(); }

void EventWriter::scalar(std::string_view tag, double value, int64_t step) {
  ProtoWriter tensor = tensor_of(tensor_proto::kDTFloat, {});
  tensor.float32(tensor_proto::kFloat, static_cast<float>(value));
  write_summary(tag, "scalars", tensor, step);
}

void EventWriter::text(std::string_view tag, std::string_view value, int64_t step) {
  ProtoWriter tensor = tensor_of(tensor_proto::kDTString, {});
  tensor.text(tensor_proto::kString, value);
  write_summary(tag, "text", tensor, step);
}

void EventWriter::histogram(std::string_view tag, const Tensor& values, int64_t step,
                            const HistogramOptions& options) {
  require(options.buckets > 0, "EventWriter.histogram: there must be a bucket. Got buckets {}.",
          options.buckets);
  const std::vector<Bucket> buckets = buckets_of(finite_values(values), options.buckets);
  ProtoWriter tensor =
      tensor_of(tensor_proto::kDTDouble, {static_cast<int64_t>(buckets.size()), 3});
  tensor.text(tensor_proto::kContent,
              {reinterpret_cast<const char*>(buckets.data()), buckets.size() * sizeof(Bucket)});
  write_summary(tag, "histograms", tensor, step);
}

void EventWriter::write_summary(std::string_view tag, std::string_view plugin,
                                const ProtoWriter& tensor, int64_t step) {
  require(is_utf8(tag), "EventWriter: a tag must be UTF-8. Got {} bytes that are not.", tag.size());
  const int data_class = plugin == "scalars" ? metadata::kScalar : metadata::kTensor;
  ProtoWriter about, value, values, record;
  about.message(metadata::kPluginData, ProtoWriter().text(plugin_data::kPluginName, plugin))
      .integer(metadata::kDataClass, data_class);
  value.text(summary_value::kTag, tag)
      .message(summary_value::kTensor, tensor)
      .message(summary_value::kMetadata, about);
  values.message(summary::kValue, value);
  record.float64(event::kWallTime, now())
      .integer(event::kStep, step)
      .message(event::kSummary, values);
  records_->write(record.bytes());
}

void EventWriter::flush() { records_->flush(); }

void EventWriter::close() { records_->close(); }

}  // namespace alula::io
