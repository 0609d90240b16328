#pragma once
#include <vector>

#include "alula/core/tensor.h"

namespace alula::keras {

/// One tensor or several, where a model may have either: `x` or `{a, b}`.
class TensorList {
 public:
  TensorList() = default;
  TensorList(const Tensor& tensor) : tensors_{tensor} {}
  TensorList(std::initializer_list<Tensor> tensors) : tensors_(tensors) {}
  TensorList(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {}

  bool empty() const { return tensors_.empty(); }
  size_t size() const { return tensors_.size(); }
  const Tensor& operator[](size_t i) const { return tensors_[i]; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  auto begin() const { return tensors_.begin(); }
  auto end() const { return tensors_.end(); }

 private:
  std::vector<Tensor> tensors_;
};

}  // namespace alula::keras
