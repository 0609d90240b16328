#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "alula/core/tensor.h"

namespace alula::io {

class ProtoWriter;
class RecordWriter;

struct HistogramOptions {
  int buckets = 30;
};

/// What TensorBoard shows: an event file in a folder, in the form that tf.summary writes. One
/// thread at a time may use it.
///   EventWriter writer("logs/train");
///   writer.scalar("epoch_loss", 0.25, epoch);
///   writer.flush();
class EventWriter {
 public:
  /// Makes the folder if need be, and in it a new file,
  /// events.out.tfevents.<time>.<host>.<process>.<number>.v2
  explicit EventWriter(const std::string& directory);
  /// Flushes and closes; to hear of an error, call `close`.
  ~EventWriter();

  const std::string& path() const;
  void scalar(std::string_view tag, double value, int64_t step);
  /// Markdown.
  void text(std::string_view tag, std::string_view value, int64_t step);
  /// How often values occur, in buckets of equal width; those that are not finite are left out.
  void histogram(std::string_view tag, const Tensor& values, int64_t step,
                 const HistogramOptions& options = {});
  /// Lets TensorBoard see what was written.
  void flush();
  void close();

 private:
  void write_summary(std::string_view tag, std::string_view plugin, const ProtoWriter& tensor,
                     int64_t step);
  std::unique_ptr<RecordWriter> records_;
};

}  // namespace alula::io
