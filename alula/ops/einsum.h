#pragma once
#include <span>
#include <string_view>

#include "alula/core/tensor.h"

namespace alula {

/// A sum of products, written by naming the axes of the operands and of the result (Einstein's
/// convention). Axes that the result leaves out are summed over; without "->" the result has those
/// that occur once, in alphabetical order. "..." stands for any number of axes, which broadcast.
/// Numbers.
///   einsum("ij,jk->ik", {a, b})     matmul(a, b)
///   einsum("bij->bji", {a})         the transposed matrices of a batch
///   einsum("ii->i", {a})            the diagonal
Tensor einsum(std::string_view equation, std::span<const Tensor> operands);
Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands);

}  // namespace alula
