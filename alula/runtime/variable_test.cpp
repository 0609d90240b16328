#include "alula/runtime/variable.h"

#include "alula/runtime/devices.h"
#include "alula/runtime/dispatch.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Floats = std::vector<float>;

}  // namespace

TEST(Variable, KnowsWhatItIs) {
  const Variable w(Tensor{{1.f, 2.f}}, {.trainable = false, .name = "kernel"});
  EXPECT_EQ(w.name(), "kernel");
  EXPECT_EQ(w.dtype(), float32);
  EXPECT_EQ(w.shape(), (Shape{1, 2}));
  EXPECT_EQ(to_string(w.spec()), "float32[1,2]");
  EXPECT_EQ(w.size(), 2);
  EXPECT_EQ(w.device(), kCPU);
  EXPECT_FALSE(w.trainable());
  const Variable plain(Tensor(1));
  EXPECT_EQ(plain.name(), "Variable");
  EXPECT_TRUE(plain.trainable());
}

TEST(Variable, IsSharedByItsCopies) {
  Variable a(Tensor{1.f, 2.f});
  Variable b = a;
  const Variable equal(Tensor{1.f, 2.f});
  EXPECT_TRUE(a.same_as(b));
  EXPECT_FALSE(a.same_as(equal));
  EXPECT_EQ(a.key(), b.key());
  b.assign(Tensor{3.f, 4.f});
  b.set_trainable(false);
  EXPECT_EQ(a.value().to_vector<float>(), (Floats{3, 4}));
  EXPECT_FALSE(a.trainable());
  EXPECT_EQ(equal.value().to_vector<float>(), (Floats{1, 2}));
}

TEST(Variable, HandsOutValuesThatStay) {
  for (const Shape& shape : {Shape{2}, Shape{4000}}) {
    const Tensor first = random_tensor({float32, shape}), second = random_tensor({float32, shape});
    const Floats expected = first.to_vector<float>();
    Variable w(first);
    const Tensor before = w.value();
    w.assign(second);
    EXPECT_EQ(before.to_vector<float>(), expected);
    EXPECT_EQ(first.to_vector<float>(), expected);
    EXPECT_EQ(w.value().to_vector<float>(), second.to_vector<float>());
    EXPECT_FALSE(w.value().same_as(second));  // nothing leads back to how it was computed
  }
}

TEST(Variable, HoldsAnyDType) {
  Variable words(Tensor{"a", "b"}), flags(Tensor{true, false});
  words.assign(Tensor{"c", "d"});
  flags.assign(Tensor{false, false});
  EXPECT_EQ(words.value().to_vector<std::string>()[1], "d");
  EXPECT_FALSE(flags.value().to_vector<bool>()[0]);
}

TEST(Variable, SaysWhatIsWrong) {
  Variable none, w(Tensor{1.f, 2.f}, {.name = "w"});
  EXPECT_FALSE(none.defined());
  EXPECT_TRUE(w.defined());
  EXPECT_ERROR(Variable(Tensor(), {.name = "w"}), InvalidArgumentError,
               "Variable: 'w' needs an initial value");
  EXPECT_ERROR(Variable(Tensor::symbolic({float32, {2}}, {})), InvalidArgumentError,
               "Variable: 'Variable' needs an initial value");
  EXPECT_ERROR(none.value(), FailedPreconditionError, "it is not defined yet");
  EXPECT_ERROR(none.name(), FailedPreconditionError, "it is not defined yet");
  EXPECT_ERROR(none.assign(Tensor(1.f)), FailedPreconditionError, "it is not defined yet");
  EXPECT_ERROR(w.assign(Tensor()), InvalidArgumentError,
               "assign: the value for 'w' is not defined yet");
  EXPECT_ERROR(w.assign(Tensor{1.f}), InvalidArgumentError,
               "assign: the variable 'w' is float32[2]. Got float32[1]. Use reshape().");
  EXPECT_ERROR(w.assign(Tensor{1, 2}), InvalidArgumentError,
               "assign: the variable 'w' is float32[2]. Got int32[2]. Use cast().");
  EXPECT_EQ(w.value().to_vector<float>(), (Floats{1, 2}));
}

TEST(Variable, StaysOnItsDevice) {
  test_devices();
  const Device sim = "/SIM:0";
  Variable w(Tensor{1.f, 2.f}.to(sim));
  EXPECT_EQ(w.device(), sim);
  w.assign(Tensor{3.f, 4.f});
  EXPECT_EQ(w.device(), sim);
  EXPECT_EQ(w.value().to_vector<float>(), (Floats{3, 4}));
  Variable here(Tensor{1.f, 2.f});
  here.assign(w);
  EXPECT_EQ(here.device(), kCPU);
  EXPECT_EQ(here.value().to_vector<float>(), (Floats{3, 4}));
}

TEST(Variable, TellsWhenItIsRead) {
  class Reads final : public Listener {
   public:
    void ran(const Op&, Device, TensorRefs, std::span<const Tensor>) override {}
    void read(const Variable& variable, const Tensor& value) override {
      names.push_back(variable.name());
      ids.push_back(value.id());
    }
    std::vector<std::string> names;
    std::vector<uint64_t> ids;
  };
  Variable a(Tensor(1.f), {.name = "a"});
  const Variable b(Tensor(2.f), {.name = "b"});
  Reads reads;
  const Tensor first = a, second = b.value();
  a.shape(), a.dtype(), a.device();  // no reads
  a.assign(Tensor(3.f));
  const Tensor third = a;
  EXPECT_EQ(reads.names, (std::vector<std::string>{"a", "b", "a"}));
  EXPECT_EQ(reads.ids, (std::vector<uint64_t>{first.id(), second.id(), third.id()}));
  EXPECT_NE(first.id(), third.id());
}

TEST(Variable, IsFormattedAsItsValue) {
  const Variable w(Tensor{{1.f, 2.f}});
  EXPECT_EQ(fmt::format("{}", w), w.value().str());
  EXPECT_EQ(to_string(w), "[[1. 2.]]");
  EXPECT_EQ(w.str(), to_string(w));
}
