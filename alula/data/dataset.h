#pragma once
#include <functional>
#include <iterator>

#include "alula/data/call.h"
#include "alula/data/stage.h"
#include "alula/data/tuner.h"

namespace alula::data {

struct MapOptions {
  /// So many calls at once, in threads of their own; 0: in the reader's thread; or AUTOTUNE.
  int64_t num_parallel_calls = 0;
  bool deterministic = true;  // in the order of the input, even if a later one is ready first
};

struct BatchOptions {
  bool drop_remainder = false;  // leave out a last batch that would be smaller
};

struct PaddedBatchOptions {
  /// For each tensor of an element the shape to pad to; an unknown dimension is that of the
  /// largest element in the batch. None: all dimensions are.
  std::vector<Shape> padded_shapes = {};
  std::vector<Tensor> padding_values = {};  // one a tensor; 0, false or ""
  bool drop_remainder = false;
};

struct ShuffleOptions {
  random::Seed seed = {};
  bool reshuffle_each_iteration = true;
};

struct InterleaveOptions {
  int64_t cycle_length = 4;        // so many data sets are read in turn
  int64_t block_length = 1;        // so many elements of one, then the next
  int64_t num_parallel_calls = 0;  // so many threads read the next elements of each ahead
  bool deterministic = true;       // if not, an element of whichever has one ready comes next
};

struct WindowOptions {
  int64_t shift = 0;  // how far the next window begins; 0: `size`
  int64_t stride = 1;
  bool drop_remainder = false;
};

struct CsvOptions {
  bool header = true;                            // the first line holds the columns' names
  std::vector<std::string> column_names = {};    // in place of a header's
  std::vector<std::string> select_columns = {};  // those alone, in this order
  std::vector<Tensor> column_defaults = {};  // one a column chosen: its dtype, and what stands for
                                             // an empty field. None: found out from the first rows.
  char field_delim = ',';
  bool use_quote_delim = true;
  std::string na_value = "";
};

struct TextLineOptions {
  std::string compression_type = "";  // "", "GZIP" or "ZLIB"
};
using TFRecordOptions = TextLineOptions;

struct ListFilesOptions {
  bool shuffle = true;
  random::Seed seed = {};
};

/// What concerns a pipeline as a whole.
struct Options {
  /// What buffers that AUTOTUNE chooses may take; 0: an eighth of the machine's memory.
  int64_t autotune_memory = 0;
};

class Iterator;

/// Elements, one after another: arrays in memory, files, or what steps make of those. A Dataset
/// describes a pipeline; a loop over it runs it. Cheap to copy, never changed.
///   auto dataset = data::Dataset::from_tensor_slices({images, labels})
///                      .shuffle(1000)
///                      .map([](const Tensor& image, const Tensor& label) {
///                        return std::tuple(image::random_brightness(image, 0.1), label);
///                      })
///                      .batch(32)
///                      .prefetch(data::AUTOTUNE);
///   for (const data::Element& batch : dataset) train(batch[0], batch[1]);
class Dataset {
 public:
  // ---- sources ----

  /// An element for each slice along the first dimension of all tensors.
  static Dataset from_tensor_slices(const Element& tensors);
  /// One element.
  static Dataset from_tensors(const Element& element);
  /// What a function returns, until it returns false. `make` is called at the start of every walk,
  /// and gives the function.
  ///   Dataset::from_generator([] { return [i = 0](Element& e) mutable {…; return i++ < 10; }; },
  ///                           {{}, {{float32, {3}}}})
  using Generator = std::function<bool(Element&)>;
  static Dataset from_generator(std::function<Generator()> make, const ElementSpec& spec);
  /// The int64 numbers from `start` to `stop`, which is left out.
  static Dataset range(int64_t stop);
  static Dataset range(int64_t start, int64_t stop, int64_t step = 1);
  /// The lines of text files, without their ends.
  static Dataset text_lines(const std::vector<std::string>& files,
                            const TextLineOptions& options = {});
  /// The rows of CSV files, with the columns by name.
  static Dataset csv(const std::vector<std::string>& files, const CsvOptions& options = {});
  /// The records of TFRecord files, as strings.
  static Dataset tfrecords(const std::vector<std::string>& files,
                           const TFRecordOptions& options = {});
  /// The names of the files that match a pattern.
  static Dataset list_files(const std::string& pattern, const ListFilesOptions& options = {});
  /// The slices of the array in a .npy file, or of those in a .npz file, by name.
  static Dataset numpy(const std::string& file);
  /// The elements of several at the same place, as tuples; as many as the shortest has.
  static Dataset zip(const std::vector<Dataset>& datasets);

  // ---- steps ----

  /// What a function makes of each element. It takes an element's tensors, or the Element, and
  /// returns a tensor, several (std::tuple, std::pair, std::vector), or an Element. It is traced
  /// once, as by `function`: C++ code in it runs once. Followed by `batch`, it runs once a batch.
  /// Random ops draw for each element. A variable is read as it is when a walk begins.
  template <class F>
  Dataset map(F function, const MapOptions& options = {}) const {
    return map_traced(as_element_function(std::move(function)), options);
  }
  /// The elements for which a function, traced as by `map`, gives true.
  template <class F>
  Dataset filter(F predicate) const {
    return filter_traced(as_element_function(std::move(predicate)));
  }
  /// The elements of the data sets that a function makes of each element. It is called for each,
  /// and here already for the first one, which is read to see what the data sets give.
  template <class F>
  Dataset flat_map(F function) const {
    return flat_map_with(as_dataset_function(std::move(function)));
  }
  /// The same, of several data sets in turn. Here, too, the first element is read at once.
  template <class F>
  Dataset interleave(F function, const InterleaveOptions& options = {}) const {
    return interleave_with(as_dataset_function(std::move(function)), options);
  }
  /// So many elements as one, stacked.
  Dataset batch(int64_t size, const BatchOptions& options = {}) const;
  /// The same for elements of different shapes.
  Dataset padded_batch(int64_t size, const PaddedBatchOptions& options = {}) const;
  /// The slices of each element, as elements.
  Dataset unbatch() const;
  /// In random order: each element is picked from the next `buffer_size` ones.
  Dataset shuffle(int64_t buffer_size, const ShuffleOptions& options = {}) const;
  /// So many times over; without a number, for ever.
  Dataset repeat(int64_t count = -1) const;
  /// Makes elements in a thread of its own, so many ahead of the reader.
  Dataset prefetch(int64_t buffer_size) const;
  /// The same on a device: a thread puts elements into its memory, so many ahead of the reader, who
  /// finds them where they are needed.
  ///   dataset.batch(32).prefetch_to_device("/GPU:0")
  Dataset prefetch_to_device(const Device& device, int64_t buffer_size = AUTOTUNE) const;
  /// The elements on a device, each when it is asked for.
  Dataset copy_to_device(const Device& device) const;
  /// Keeps the elements of the first whole walk in memory, or in a file, for those after it.
  Dataset cache(const std::string& file = "") const;
  /// The first so many elements; -1: all.
  Dataset take(int64_t count) const;
  /// All but the first so many; -1: none.
  Dataset skip(int64_t count) const;
  /// Every `num_shards`-th element, beginning with number `index`.
  Dataset shard(int64_t num_shards, int64_t index) const;
  /// These elements, then those of another data set.
  Dataset concatenate(const Dataset& other) const;
  /// Data sets of `size` elements each.
  Dataset window(int64_t size, const WindowOptions& options = {}) const;
  /// Tuples of the position and the element.
  Dataset enumerate(int64_t start = 0) const;
  /// Leaves out the elements that fail.
  Dataset ignore_errors() const;
  /// What a function makes of the whole data set.
  template <class F>
  Dataset apply(F transformation) const {
    return transformation(*this);
  }
  /// The same elements, run with other options.
  Dataset with_options(const Options& options) const;

  // ---- what it is ----

  const ElementSpec& element_spec() const { return stage_->spec(); }
  /// The number of elements, kInfiniteCardinality or kUnknownCardinality.
  int64_t cardinality() const { return stage_->cardinality(); }
  /// How it runs: a line a step.
  std::string explain() const { return data::explain(*stage_); }

  // ---- walking through it ----

  /// A new walk, from the start.
  Iterator iterator() const;
  Iterator begin() const;
  static std::default_sentinel_t end() { return {}; }

  /// For steps defined elsewhere.
  explicit Dataset(StageRef stage);
  const StageRef& stage() const { return stage_; }
  /// The same options for a pipeline that goes on with another step.
  Dataset then(StageRef stage) const;
  /// Other steps in place of these, with the same options, whose walks are counted with those of
  /// this data set: what is seeded is the same.
  Dataset in_place_of(StageRef stage) const { return {std::move(stage), run_}; }

 private:
  Dataset map_traced(const ElementFunction& function, const MapOptions& options) const;
  Dataset filter_traced(const ElementFunction& predicate) const;
  Dataset flat_map_with(const DatasetFunction& function) const;
  Dataset interleave_with(const DatasetFunction& function, const InterleaveOptions& options) const;

  struct Run;  // what its walks share
  Dataset(StageRef stage, std::shared_ptr<Run> run);

  StageRef stage_;
  std::shared_ptr<Run> run_;
};

/// A walk through a data set.
///   Iterator i = dataset.iterator();
///   for (Element e; i.next(e);) …
class Iterator {
 public:
  using value_type = Element;
  using difference_type = std::ptrdiff_t;

  Iterator(Iterator&&) = default;
  Iterator& operator=(Iterator&&) = default;
  /// Stops all threads that work for it.
  ~Iterator() { stop_.request_stop(); }

  /// The next element; false at the end.
  bool next(Element& element);
  /// The same, tensor by tensor: faster where the arrangement is known.
  bool next(Row& row) { return walk_->next(row); }

  /// Where it is, in the middle of an epoch or not: an iterator of the same pipeline that restores
  /// it gives the same elements from here on.
  std::string save() const;
  void restore(std::string_view state);

  // As an input iterator.
  const Element& operator*() const { return element_; }
  const Element* operator->() const { return &element_; }
  Iterator& operator++() {
    ended_ = !next(element_);
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(std::default_sentinel_t) const { return ended_; }

 private:
  friend class Dataset;
  Iterator(StageRef stage, Context context);
  WalkRef walk(const Context& context) const;

  StageRef stage_;
  Context context_;
  std::stop_source stop_;
  WalkRef walk_;
  Element element_;
  bool ended_ = false;
};

}  // namespace alula::data
