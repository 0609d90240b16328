// A user's program: exits with 0 if the product is right.
#include <iostream>
#include <vector>

#include "alula/alula.h"

namespace tf = alula;

int main() {
  const tf::Tensor a = {{1.0, 2.0}, {3.0, 4.0}};
  const tf::Tensor product = tf::matmul(a, a);
  std::cout << product << '\n';
  return product.to_vector<float>() == std::vector<float>{7, 10, 15, 22} ? 0 : 1;
}
