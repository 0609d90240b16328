#pragma once
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "alula/core/buffer.h"
#include "alula/core/literal.h"
#include "alula/core/memory.h"
#include "alula/core/spec.h"

namespace alula {

/// What a higher folder attaches to a tensor: how a symbolic tensor came about, for one.
class Note {
 public:
  std::atomic<int> references = 1;
  Ref<Note> next;  // a tensor may have several
  Note() = default;
  Note(const Note&) = delete;
  Note& operator=(const Note&) = delete;
  virtual ~Note() = default;
  void destroy() { delete this; }
};

/// What a Tensor points to. On the host, the elements of a small tensor follow it in the same
/// block.
struct TensorData {
  std::atomic<int> references = 1;
  Device device;
  Spec spec;
  void* data = nullptr;
  Ref<Buffer> buffer;                    // none if the elements follow
  Ref<Note> note;                        // usually none
  mutable std::atomic<uint64_t> id = 0;  // given when it is first asked for

  /// The elements start here if they are at most this many bytes.
  static constexpr size_t kInline = 2048;
  void destroy();
};

/// A value: dtype, shape, device and elements in row-major order. Cheap to copy; never written
/// after it is made.
///   Tensor a = {{1.f, 2.f}, {3.f, 4.f}};   // float32[2,2]
///   Tensor b = {1, 2, 3};                  // int32[3]
class Tensor {
 public:
  /// No tensor: `defined()` is false.
  Tensor() = default;
  /// From nested braces, even of one element: Tensor{2.5} is float32[1]. The elements' types say
  /// the dtype, as in TensorFlow: 1.0 is float32, 1 int32, true bool, an int64_t int64. `= {}` is
  /// no tensor.
  Tensor(std::initializer_list<Literal> list);
  /// A scalar: Tensor(2.5) is float32[].
  template <Arithmetic T>
  explicit Tensor(T value) : Tensor(Number(value), Number(value).natural_dtype()) {}
  Tensor(Number value, DType dtype);
  explicit Tensor(std::string_view text);
  /// From a vector or a span, of the dtype of its elements; `shape` must hold as many.
  template <class T>
  Tensor(const std::vector<T>& values)
      : Tensor(values, Shape{static_cast<int64_t>(values.size())}) {}
  template <class T>
  Tensor(const std::vector<T>& values, Shape shape) : Tensor(std::span<const T>(values), shape) {}
  Tensor(const std::vector<bool>& values, Shape shape);
  Tensor(const std::vector<bool>& values)
      : Tensor(values, Shape{static_cast<int64_t>(values.size())}) {}
  template <class T, size_t kExtent>
  Tensor(std::span<T, kExtent> values, Shape shape)
      : Tensor(copy_of(values.data(), values.size(), dtype_of<std::remove_const_t<T>>, shape)) {}
  template <class T, size_t kExtent>
  explicit Tensor(std::span<T, kExtent> values)
      : Tensor(values, Shape{static_cast<int64_t>(values.size())}) {}

  /// A tensor whose elements are yet to be written, by whoever made it; strings are empty.
  static Tensor uninitialized(const Spec& spec, Allocator& allocator);
  static Tensor uninitialized(const Spec& spec);  // on the host
  /// A tensor that stands for a value to come; dimensions may be unknown. `note` says what it is.
  static Tensor symbolic(const Spec& spec, Ref<Note> note);
  /// A tensor over the same elements with another shape of as many; a small one on the host is
  /// copied.
  Tensor reshaped(const Shape& shape) const;
  /// The slices [begin, end) along the first dimension of a tensor on the host. They are over the
  /// same elements if they are many and begin at an address that kernels like; else a copy.
  Tensor rows(int64_t begin, int64_t end) const;

  bool defined() const { return static_cast<bool>(data_); }
  const Spec& spec() const { return contents().spec; }
  DType dtype() const { return contents().spec.dtype; }
  const Shape& shape() const { return contents().spec.shape; }
  int rank() const { return shape().rank(); }
  int64_t size() const { return shape().size(); }
  int64_t bytes() const { return spec().bytes(); }
  Device device() const { return contents().device; }
  /// Whether it stands for a value to come, and has no elements.
  bool is_symbolic() const { return device().type == DeviceType::kSymbolic; }

  /// This tensor on another device; itself if it is there already. (Defined in runtime.)
  Tensor to(Device wanted) const;
  Tensor cpu() const { return device().is_cpu() ? *this : to(kCPU); }

  /// The elements of a tensor on the host. T must be its dtype.
  template <class T>
  std::span<const T> span() const {
    check_access(dtype_of<T>);
    return {static_cast<const T*>(data_->data), static_cast<size_t>(size())};
  }
  /// A copy of the elements, from any device. T must be its dtype.
  template <class T>
  std::vector<T> to_vector() const {
    const Tensor host = cpu();
    const std::span<const T> values = host.span<T>();
    return {values.begin(), values.end()};
  }
  /// The only element, from any device. T must be its dtype.
  template <class T>
  T item() const {
    check_single();
    return cpu().span<T>()[0];
  }

  /// As NumPy prints it.
  std::string str() const;

  /// The address of the elements, on the tensor's device: for kernels.
  const void* data() const { return contents().data; }
  /// For whoever made the tensor, until it is handed on.
  void* mutable_data() { return contents().data; }
  /// Whether nobody else holds this tensor's elements.
  bool unique() const {
    return data_ && data_.unique() && (!data_->buffer || data_->buffer.unique());
  }
  /// The same object, not just equal values.
  bool same_as(const Tensor& other) const { return data_.get() == other.data_.get(); }
  /// A number that no other tensor of this process has or will have: what a tape knows it by.
  uint64_t id() const;
  /// What is attached to it, if it is a T.
  template <class T>
  const T* note() const {
    for (const Note* note = contents().note.get(); note != nullptr; note = note->next.get())
      if (const auto* found = dynamic_cast<const T*>(note)) return found;
    return nullptr;
  }
  /// For whoever made the tensor, until it is handed on.
  void add_note(Ref<Note> note) {
    note->next = std::move(data_->note);
    data_->note = std::move(note);
  }

 private:
  explicit Tensor(TensorData* data) : data_(data) {}
  const TensorData& contents() const {
    if (!data_) [[unlikely]]
      fail_undefined();
    return *data_;
  }
  [[noreturn, gnu::cold]] static void fail_undefined();
  static Tensor on_buffer(const Spec& spec, Allocator& allocator);
  static Tensor copy_of(const void* values, size_t count, DType dtype, const Shape& shape);
  void check_not_symbolic() const;
  void check_access(DType wanted) const;
  void check_single() const;

  Ref<TensorData> data_;
};

using Tensors = InlineVector<Tensor, 2>;

/// A tensor from braces, of the given dtype: constant({1, 2}, float64).
Tensor constant(const Literal& value, DType dtype);
/// A tensor from braces, of the dtype that TensorFlow gives it.
Tensor constant(const Literal& value);

inline std::string to_string(const Tensor& tensor) { return tensor.str(); }
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace alula

template <>
struct fmt::formatter<alula::Tensor> : alula::TextFormatter<alula::Tensor> {};
