#include "python/src/ops.h"

// tf.bitwise.
namespace alula::python {

void bind_ops_bitwise(nb::module_& m) {
  nb::module_ bits = m.def_submodule("bitwise", "tf.bitwise");
  const auto of_two = [&](const char* name, Tensor (*f)(const Tensor&, const Tensor&),
                          const char* doc) {
    def_of_two(bits, name, "x", "y", f, described(doc, "bitwise"));
  };
  of_two("bitwise_and", bitwise::bitwise_and,
         "The bits that both have.\n\n>>> int(tf.bitwise.bitwise_and(12, 10))\n8");
  of_two("bitwise_or", bitwise::bitwise_or, "The bits that one has.");
  of_two("bitwise_xor", bitwise::bitwise_xor, "The bits that exactly one has.");
  of_two("left_shift", bitwise::left_shift, "x moved up by y bits.");
  of_two("right_shift", bitwise::right_shift, "x moved down by y bits; its sign is kept.");
  def_of_one(bits, "invert", "x", bitwise::invert, described("Every bit turned round.", "bitwise"));
}

}  // namespace alula::python
