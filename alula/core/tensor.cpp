#include "alula/core/tensor.h"

#include <cstring>
#include <memory>
#include <ostream>

#include "alula/core/memory_source.h"

namespace alula {
namespace {

/// Where the elements of a small tensor begin.
constexpr size_t kHeader =
    (sizeof(TensorData) + memory::kAlignment - 1) / memory::kAlignment * memory::kAlignment;

/// Hands out host memory for buffers too large to follow their header.
class HostAllocator final : public Allocator {
 public:
  Device device() const override { return kCPU; }
  void* allocate(size_t bytes) override { return memory::allocate(bytes); }
  void release(void* block, size_t bytes) noexcept override { memory::release(block, bytes); }
};

HostAllocator& host() {
  static HostAllocator* host = new HostAllocator;  // tensors may outlive everything static
  return *host;
}

std::string* strings(const TensorData& tensor) { return static_cast<std::string*>(tensor.data); }

size_t block_bytes(const TensorData& tensor) {
  if (tensor.buffer || tensor.data == nullptr) return kHeader;
  return kHeader + static_cast<size_t>(tensor.spec.bytes());
}

TensorData* new_header(const Spec& spec, Device device, size_t bytes) {
  auto* tensor = new (memory::allocate(kHeader + bytes)) TensorData;
  tensor->device = device;
  tensor->spec = spec;
  return tensor;
}

}  // namespace

void TensorData::destroy() {
  if (spec.dtype == string && !buffer && data != nullptr)
    std::destroy_n(strings(*this), spec.shape.size());
  const size_t bytes = block_bytes(*this);
  this->~TensorData();
  memory::release(this, bytes);
}

Tensor Tensor::uninitialized(const Spec& spec) {
  const int64_t count = spec.shape.checked_size("tensor", size_of(spec.dtype));
  const size_t bytes = static_cast<size_t>(count) * size_of(spec.dtype);
  if (bytes > TensorData::kInline) return on_buffer(spec, host());
  TensorData* tensor = new_header(spec, kCPU, bytes);
  tensor->data = reinterpret_cast<std::byte*>(tensor) + kHeader;
  if (spec.dtype == string) std::uninitialized_default_construct_n(strings(*tensor), count);
  return Tensor(tensor);
}

Tensor Tensor::uninitialized(const Spec& spec, Allocator& allocator) {
  const int64_t count = spec.shape.checked_size("tensor", size_of(spec.dtype));
  const size_t bytes = static_cast<size_t>(count) * size_of(spec.dtype);
  if (allocator.device().is_cpu() && bytes <= TensorData::kInline) return uninitialized(spec);
  return on_buffer(spec, allocator);
}

Tensor Tensor::on_buffer(const Spec& spec, Allocator& allocator) {
  const Device device = allocator.device();
  require(spec.dtype != string || device.is_cpu(),
          "tensor: strings stay on the CPU. Got {}, asked for {}.", spec, device);
  Ref<Buffer> buffer(new Buffer(static_cast<size_t>(spec.bytes()), allocator));
  TensorData* tensor = new_header(spec, device, 0);
  tensor->data = buffer->data;
  if (spec.dtype == string) {
    buffer->strings = static_cast<size_t>(spec.shape.size());
    std::uninitialized_default_construct_n(strings(*tensor), buffer->strings);
  }
  tensor->buffer = std::move(buffer);
  return Tensor(tensor);
}

Tensor Tensor::symbolic(const Spec& spec, Ref<Note> note) {
  TensorData* tensor = new_header(spec, DeviceType::kSymbolic, 0);
  tensor->note = std::move(note);
  return Tensor(tensor);
}

uint64_t Tensor::id() const {
  static constinit std::atomic<uint64_t> last = 0;
  std::atomic<uint64_t>& id = contents().id;
  if (const uint64_t known = id.load(std::memory_order_acquire)) return known;
  uint64_t expected = 0;
  const uint64_t fresh = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return id.compare_exchange_strong(expected, fresh) ? fresh : expected;
}

Tensor Tensor::reshaped(const Shape& shape) const {
  check_not_symbolic();
  const Spec to = spec().with(shape);
  require(shape.checked_size("tensor", size_of(to.dtype)) == size(),
          "tensor: the elements of {} do not fill the shape {}.", spec(), shape);
  if (!data_->buffer) {
    Tensor copy = uninitialized(to);
    if (dtype() == string)
      std::copy_n(strings(*data_), size(), strings(*copy.data_));
    else
      std::memcpy(copy.mutable_data(), data(), bytes());
    return copy;
  }
  TensorData* view = new_header(to, device(), 0);
  view->data = data_->data;
  view->buffer = data_->buffer;
  return Tensor(view);
}

/// On a device, where kernels can read from any address, they are always over the same elements.
Tensor Tensor::rows(int64_t begin, int64_t end) const {
  check_not_symbolic();
  require(rank() > 0 && 0 <= begin && begin <= end && end <= shape()[0],
          "tensor: it has no rows {} to {}. Got {}.", begin, end, spec());
  if (begin == 0 && end == shape()[0]) return *this;
  Shape wanted = shape();
  wanted[0] = end - begin;
  const Spec to = spec().with(wanted);
  const auto offset = static_cast<size_t>(begin * (bytes() / std::max<int64_t>(shape()[0], 1)));
  const auto count = static_cast<size_t>(to.bytes());
  const bool on_host = device().is_cpu();
  if (!on_host ||
      (data_->buffer && count > TensorData::kInline && offset % memory::kAlignment == 0)) {
    TensorData* view = new_header(to, device(), 0);
    view->data = static_cast<std::byte*>(data_->data) + offset;
    view->buffer = data_->buffer;
    return Tensor(view);
  }
  Tensor copy = uninitialized(to);
  const auto* from = static_cast<const std::byte*>(data_->data) + offset;
  if (dtype() == string)
    std::copy_n(reinterpret_cast<const std::string*>(from), to.shape.size(), strings(*copy.data_));
  else if (count > 0)
    std::memcpy(copy.mutable_data(), from, count);
  return copy;
}

Tensor Tensor::copy_of(const void* values, size_t count, DType dtype, const Shape& shape) {
  const int64_t wanted = shape.checked_size("tensor", size_of(dtype));
  require(wanted == static_cast<int64_t>(count),
          "tensor: {} values do not fill the shape {}, which has {} elements.", count, shape,
          wanted);
  Tensor tensor = uninitialized({dtype, shape});
  if (dtype == string)
    std::copy_n(static_cast<const std::string*>(values), count, strings(*tensor.data_));
  else if (count > 0)
    memory::copy(tensor.mutable_data(), values, count * size_of(dtype));
  return tensor;
}

Tensor::Tensor(const std::vector<bool>& values, Shape shape) {
  const std::unique_ptr<bool[]> plain(new bool[values.size()]);
  std::copy(values.begin(), values.end(), plain.get());
  *this = copy_of(plain.get(), values.size(), boolean, shape);
}

Tensor::Tensor(Number value, DType dtype) {
  require(value.fits(dtype), "tensor: {} is not a value of {}.", value.as_double(), dtype);
  *this = uninitialized({dtype, {}});
  value.store(dtype, mutable_data());
}

Tensor::Tensor(std::string_view text) {
  *this = uninitialized({string, {}});
  *strings(*data_) = text;
}

Tensor::Tensor(std::initializer_list<Literal> list) : Tensor(constant(Literal(list))) {}

void Tensor::fail_undefined() {
  fail<FailedPreconditionError>("tensor: it is not defined yet; it has no elements.");
}

void Tensor::check_not_symbolic() const {
  require<FailedPreconditionError>(!is_symbolic(),
                                   "tensor: it is symbolic and has no elements yet. Got {}. Call "
                                   "the model that was made of it, or run it in a session, and "
                                   "use what that returns.",
                                   spec());
}

void Tensor::check_access(DType wanted) const {
  check_not_symbolic();
  require(dtype() == wanted, "tensor: its elements are {}, not {}. Got {}. Use cast().", dtype(),
          wanted, spec());
  require<FailedPreconditionError>(
      device().is_cpu(), "tensor: its elements are on {}. Got {}. Use cpu() or to_vector().",
      device(), spec());
}

void Tensor::check_single() const {
  check_not_symbolic();
  require(size() == 1, "item: the tensor must have one element. Got {}.", spec());
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return out << tensor.str(); }

namespace {

/// Walks a literal: its shape, then its elements in order.
class LiteralReader {
 public:
  explicit LiteralReader(const Literal& literal) {
    find_shape(literal, 0);
    if (rank_known_) return;
    natural_ = float32;  // only empty lists, as in TensorFlow
  }

  const Shape& shape() const { return shape_; }
  DType natural_dtype() const { return natural_; }

  void write(const Literal& literal, DType dtype, std::byte*& to) const {
    switch (literal.kind()) {
      case Literal::Kind::kList:
        for (const Literal& item : literal.list()) write(item, dtype, to);
        return;
      case Literal::Kind::kText:
        require(dtype == string, "constant: \"{}\" is not a value of {}.", literal.text(), dtype);
        *reinterpret_cast<std::string*>(to) = literal.text();
        break;
      case Literal::Kind::kNumber:
        require(literal.number().fits(dtype), "constant: {} is not a value of {}.",
                literal.number().as_double(), dtype);
        literal.number().store(dtype, to);
        break;
    }
    to += size_of(dtype);
  }

 private:
  void find_shape(const Literal& literal, int depth) {
    if (literal.kind() != Literal::Kind::kList) {
      require(shape_.rank() == depth, "constant: the lists are nested to different depths.");
      const bool is_text = literal.kind() == Literal::Kind::kText;
      note(is_text ? string : literal.number().natural_dtype());
      rank_known_ = true;
      return;
    }
    const auto size = static_cast<int64_t>(literal.list().size());
    if (depth == shape_.rank()) {
      require(!rank_known_, "constant: the lists are nested to different depths.");
      shape_.push_back(size);
    }
    require(shape_[depth] == size, "constant: the lists differ in length: {} and {}.",
            shape_[depth], size);
    for (const Literal& item : literal.list()) find_shape(item, depth + 1);
  }

  /// Widens the dtype found so far by one more element's.
  void note(DType dtype) {
    if (!rank_known_ || dtype == natural_) {
      natural_ = dtype;
      return;
    }
    const bool numbers = kNumeric.contains(dtype) && kNumeric.contains(natural_);
    require(numbers, "constant: the elements are of two kinds, {} and {}.", natural_, dtype);
    if (is_floating(dtype) || is_floating(natural_))
      natural_ = float32;
    else if (kSignedIntegers.contains(dtype) != kSignedIntegers.contains(natural_))
      natural_ = int64;
    else if (size_of(dtype) > size_of(natural_))
      natural_ = dtype;
  }

  Shape shape_;
  DType natural_ = float32;
  bool rank_known_ = false;
};

}  // namespace

Tensor constant(const Literal& value, DType dtype) {
  const LiteralReader reader(value);
  Tensor tensor = Tensor::uninitialized({dtype, reader.shape()});
  auto* to = static_cast<std::byte*>(tensor.mutable_data());
  reader.write(value, dtype, to);
  return tensor;
}

Tensor constant(const Literal& value) {
  return constant(value, LiteralReader(value).natural_dtype());
}

}  // namespace alula
