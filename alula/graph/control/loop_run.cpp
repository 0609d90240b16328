#include <cstring>

#include "alula/graph/control/loop_control.h"
#include "alula/ops/fill.h"

namespace alula::graph {
namespace {

/// The elements of one source.
class Source {
 public:
  Source(const char* who, const LoopStream& stream, const Tensor& value)
      : stream_(stream), value_(value) {
    if (!stream.listed) return;
    list_ = history_of(who, value);
    if (list_ == nullptr)
      for (const Spec& spec : stream.elements) zeros_.push_back(zeros(spec.shape, spec.dtype));
  }
  /// How many there are; unknown of zeros.
  int64_t length() const {
    if (!stream_.listed) return value_.shape()[0];
    return list_ == nullptr ? kUnknown : static_cast<int64_t>(list_->steps.size());
  }
  void read(int64_t i, Tensor* into) const {
    if (!stream_.listed) {
      if (const auto* lists = value_.note<Histories>()) {
        into[0] = lists->carriers[static_cast<size_t>(i)];
        return;
      }
      into[0] = value_.rows(i, i + 1).reshaped(value_.shape().slice(1, value_.rank()));
      return;
    }
    const std::vector<Tensor>& step =
        list_ == nullptr ? zeros_ : list_->steps[static_cast<size_t>(i)];
    std::copy(step.begin(), step.end(), into);
  }

 private:
  const LoopStream& stream_;
  const Tensor& value_;
  const History* list_ = nullptr;
  std::vector<Tensor> zeros_;
};

/// What is made of one product.
class Product {
 public:
  Product(const char* who, const LoopStream& stream, int64_t length)
      : who_(who), stream_(stream), length_(length) {
    if (!stream.listed) return;
    list_ = new History;
    list_->steps.resize(static_cast<size_t>(length));
    carrier_ = with_history(Ref<Note>(list_));
  }
  void write(int64_t i, Tensor* from) {
    if (stream_.listed) {
      list_->steps[static_cast<size_t>(i)].assign(from, from + stream_.elements.size());
      return;
    }
    const Tensor& row = from[0];
    if (!stacked_.defined()) allocate(row.shape());
    if (row.note<History>() != nullptr) keep_list(i, row);
    require(row.shape() == shape_,
            "{}: the shape of a result must be the same for all elements. Got {} and {}.", who_,
            shape_, row.shape());
    if (row.dtype() == string) {
      const std::span<const std::string> text = row.span<std::string>();
      std::copy(text.begin(), text.end(),
                static_cast<std::string*>(stacked_.mutable_data()) + i * row.size());
    } else if (row.size() > 0) {
      std::memcpy(static_cast<std::byte*>(stacked_.mutable_data()) + i * row.bytes(), row.data(),
                  static_cast<size_t>(row.bytes()));
    }
  }
  Tensor result() {
    if (stream_.listed) return carrier_;
    if (!stacked_.defined()) {  // no step: sizes that nobody knows are 0
      Shape shape = stream_.elements[0].shape;
      std::replace(&shape[0], &shape[0] + shape.rank(), kUnknown, int64_t{0});
      allocate(shape);
    }
    return stacked_;
  }

 private:
  void allocate(const Shape& shape) {
    shape_ = shape;
    stacked_ = Tensor::uninitialized(stream_.elements[0].with(Shape{length_} + shape));
  }

  void keep_list(int64_t i, const Tensor& carrier) {
    if (lists_ == nullptr) {
      lists_ = new Histories;
      stacked_.add_note(Ref<Note>(lists_));
      lists_->carriers.resize(static_cast<size_t>(length_), Tensor(0.f));
    }
    lists_->carriers[static_cast<size_t>(i)] = carrier;
  }

  const char* who_;
  const LoopStream& stream_;
  int64_t length_;
  Shape shape_;
  Tensor stacked_, carrier_;
  History* list_ = nullptr;
  Histories* lists_ = nullptr;
};

/// One run of a loop.
class LoopRun {
 public:
  LoopRun(const LoopParts& parts, TensorRefs inputs)
      : parts_(parts), state_(parts.source_elements() + parts.carried.size()) {
    size_t next = 0;
    for (const LoopStream& stream : parts.sources)
      sources_.emplace_back(parts.name, stream, inputs[next++]);
    for (size_t i = 0; i < parts.carried.size(); ++i) carried()[i] = inputs[next++];
    for (const Tensor& tensor : state_) refs_.push_back(&tensor);
    for (; next < inputs.size(); ++next) refs_.push_back(&inputs[next]);
    if (parts.condition == nullptr) {
      find_length();
      for (const LoopStream& stream : parts.products)
        products_.emplace_back(parts.name, stream, length_);
    }
    if (!parts.keeps_history) return;
    history_ = new History;
    kept_ = with_history(Ref<Note>(history_));
    if (parts.condition == nullptr) history_->steps.resize(static_cast<size_t>(length_));
  }

  Tensors run() {
    if (parts_.condition != nullptr)
      run_while();
    else
      for (int64_t k = 0; k < length_; ++k) step(parts_.reverse ? length_ - 1 - k : k);
    Tensors outputs;
    for (size_t i = 0; i < parts_.carried.size(); ++i) outputs.push_back(std::move(carried()[i]));
    for (Product& product : products_) outputs.push_back(product.result());
    outputs.push_back(history_ == nullptr ? Tensor(0.f) : kept_);
    return outputs;
  }

 private:
  Tensor* carried() { return state_.data() + parts_.source_elements(); }

  void find_length() {
    length_ = kUnknown;
    for (const Source& source : sources_)
      if (length_ == kUnknown) length_ = source.length();
    require<InternalError>(length_ != kUnknown, "{}: nothing says how many steps there are.",
                           parts_.name);
  }

  void run_while() {
    const auto condition_inputs =
        std::span<const Tensor* const>(refs_).subspan(parts_.source_elements());
    if (parts_.maximum_iterations == 0 ||
        !parts_.condition->run(TensorRefs(condition_inputs))[0].item<bool>())
      return;
    int64_t count = 0;
    bool again = true;
    while (again) {
      if (history_ != nullptr) history_->steps.emplace_back();
      again = step(count++);
      if (count == parts_.maximum_iterations) return;
    }
  }

  /// One step, on the i-th elements. Whether the condition says that there is another.
  bool step(int64_t i) {
    size_t place = 0;
    for (size_t k = 0; k < sources_.size(); ++k) {
      sources_[k].read(i, &state_[place]);
      place += parts_.sources[k].elements.size();
    }
    Tensors out = parts_.step->run(TensorRefs(refs_));
    if (history_ != nullptr) keep(history_->steps[static_cast<size_t>(i)], out);
    const size_t count = parts_.carried.size();
    for (size_t k = 0; k < count; ++k) carried()[k] = std::move(out[k]);
    place = count;
    for (size_t k = 0; k < products_.size(); ++k) {
      products_[k].write(i, &out[place]);
      place += parts_.products[k].elements.size();
    }
    return parts_.condition != nullptr && *static_cast<const bool*>(out[place].data());
  }

  /// What was carried into a step, and what it made anew.
  void keep(std::vector<Tensor>& kept, const Tensors& out) {
    kept.assign(carried(), carried() + parts_.carried.size());
    kept.insert(kept.end(), out.begin() + static_cast<std::ptrdiff_t>(parts_.made_at()), out.end());
  }

  const LoopParts& parts_;
  std::vector<Tensor> state_;        // elements of the sources, then what is carried
  std::vector<const Tensor*> refs_;  // these, then what is captured
  std::vector<Source> sources_;
  std::vector<Product> products_;
  int64_t length_ = 0;
  Tensor kept_;
  History* history_ = nullptr;
};

}  // namespace

Tensors Loop::run(TensorRefs inputs) const { return LoopRun(parts_, inputs).run(); }

}  // namespace alula::graph
