#include "alula/core/tensor.h"

#include <numeric>
#include <sstream>
#include <thread>

#include "alula/testing/harness.h"

using namespace alula;

namespace {

std::string spec_of(const Tensor& tensor) { return fmt::format("{}", tensor.spec()); }

/// Destroyed when the process ends, after the caches of its thread.
Tensor g_small = {1, 2, 3};
Tensor g_large(std::vector<float>(100'000, 1.f));
Tensor g_strings(std::vector<std::string>(1000, std::string(100, 'x')));

std::vector<std::string> words(int count) {
  std::vector<std::string> words;
  for (int i = 0; i < count; ++i) words.push_back(std::string(i % 40, 'a') + std::to_string(i));
  return words;
}

}  // namespace

TEST(Tensor, FromBraces) {
  const Tensor vector{1.f, 2.f};
  EXPECT_EQ(spec_of(vector), "float32[2]");
  EXPECT_EQ(vector.to_vector<float>(), (std::vector<float>{1, 2}));
  const Tensor matrix = {{1, 2}, {3, 4}};
  EXPECT_EQ(spec_of(matrix), "int32[2,2]");
  EXPECT_EQ(matrix.to_vector<int32_t>(), (std::vector<int32_t>{1, 2, 3, 4}));
  const Tensor deep = {{{{{{{{true}}}}}}}};
  EXPECT_EQ(spec_of(deep), "bool[1,1,1,1,1,1,1,1]");
  const Tensor column = {{1.5}, {2.5}, {3.5}};
  EXPECT_EQ(spec_of(column), "float32[3,1]");
  const Tensor texts = {{"a", "b"}, {"c", "d"}};
  EXPECT_EQ(spec_of(texts), "string[2,2]");
  EXPECT_EQ(texts.to_vector<std::string>(), (std::vector<std::string>{"a", "b", "c", "d"}));
  const std::string word = "word";
  EXPECT_EQ((Tensor{word, word}).to_vector<std::string>()[1], "word");
  EXPECT_EQ(spec_of(Tensor{2.5}), "float32[1]");
}

TEST(Tensor, HasTheDTypeOfItsElements) {
  EXPECT_EQ((Tensor{1, 2}).dtype(), int32);
  EXPECT_EQ((Tensor{1.0, 2.0}).dtype(), float32);
  EXPECT_EQ((Tensor{true}).dtype(), boolean);
  EXPECT_EQ((Tensor{int64_t{1}}).dtype(), int64);
  EXPECT_EQ((Tensor{5'000'000'000}).dtype(), int64);
  EXPECT_EQ((Tensor{uint8_t{1}}).dtype(), uint8);
  EXPECT_EQ((Tensor{Half(1)}).dtype(), float16);
  // Mixed: what holds them all.
  EXPECT_EQ((Tensor{1, 2.5}).dtype(), float32);
  EXPECT_EQ((Tensor{2.5, 1}).dtype(), float32);
  EXPECT_EQ((Tensor{Half(1), 2.f}).dtype(), float32);
  EXPECT_EQ((Tensor{1, 5'000'000'000}).dtype(), int64);
  EXPECT_EQ((Tensor{int8_t{1}, int16_t{2}}).dtype(), int16);
  EXPECT_EQ((Tensor{1, 1u}).dtype(), int64);
  EXPECT_EQ((Tensor{1, 2.5}).to_vector<float>(), (std::vector<float>{1, 2.5}));
}

TEST(Tensor, FromBracesThatDoNotFit) {
  constexpr const char* kDepths = "constant: the lists are nested to different depths.";
  EXPECT_ERROR((Tensor{{1, 2}, {3}}), InvalidArgumentError,
               "constant: the lists differ in length: 2 and 1.");
  EXPECT_ERROR((Tensor{{1}, {}}), InvalidArgumentError, "differ in length: 1 and 0.");
  EXPECT_ERROR((Tensor{{}, {1}}), InvalidArgumentError, "differ in length: 0 and 1.");
  EXPECT_ERROR((Tensor{1, {2}}), InvalidArgumentError, kDepths);
  EXPECT_ERROR((Tensor{{2}, 1}), InvalidArgumentError, kDepths);
  EXPECT_ERROR((Tensor{{}, 1}), InvalidArgumentError, kDepths);
  EXPECT_ERROR((Tensor{{{}}, {1}}), InvalidArgumentError, kDepths);
  EXPECT_ERROR((Tensor{{1}, {{1}}}), InvalidArgumentError, kDepths);
  EXPECT_ERROR((Tensor{true, 1}), InvalidArgumentError,
               "constant: the elements are of two kinds, bool and int32.");
  EXPECT_ERROR((Tensor{1, "a"}), InvalidArgumentError, "of two kinds, int32 and string.");
  EXPECT_ERROR((Tensor{1, UINT64_MAX}), InvalidArgumentError,
               "constant: 1.8446744073709552e+19 is not a value of int64.");
  EXPECT_ERROR((Tensor{{{{{{{{{1}}}}}}}}}), InvalidArgumentError, "at most 8 dimensions");
}

TEST(Tensor, FromEmptyBraces) {
  EXPECT_FALSE(Tensor{}.defined());
  const Tensor none = {};
  EXPECT_FALSE(none.defined());
  EXPECT_EQ(spec_of(constant({})), "float32[0]");
  EXPECT_EQ(spec_of(constant({}, string)), "string[0]");
  EXPECT_EQ(spec_of(Tensor{{}, {}}), "float32[2,0]");
  EXPECT_EQ(spec_of(Tensor{{{}}, {{}}, {{}}}), "float32[3,1,0]");
  EXPECT_TRUE(constant({}).span<float>().empty());
}

TEST(Tensor, FromBracesOfAGivenDType) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!kNumeric.contains(dtype)) continue;
    const Tensor tensor = constant({{1, 2}, {3, 100}}, dtype);
    EXPECT_EQ(tensor.dtype(), dtype);
    EXPECT_EQ(alula::testing::to_array(tensor).values, (std::vector<double>{1, 2, 3, 100}));
  }
  EXPECT_EQ(constant(7).item<int32_t>(), 7);
  EXPECT_EQ(constant("text").item<std::string>(), "text");
  EXPECT_EQ(constant({2.5, 1}, float64).to_vector<double>(), (std::vector<double>{2.5, 1}));
  EXPECT_ERROR(constant({300}, uint8), InvalidArgumentError,
               "constant: 300 is not a value of uint8.");
  EXPECT_ERROR(constant({-1}, uint64), InvalidArgumentError,
               "constant: -1 is not a value of uint64.");
  EXPECT_ERROR(constant({2.5}, int32), InvalidArgumentError,
               "constant: 2.5 is not a value of int32.");
  EXPECT_ERROR(constant({1}, boolean), InvalidArgumentError, "constant: 1 is not a value of bool.");
  EXPECT_ERROR(constant({1}, string), InvalidArgumentError,
               "constant: 1 is not a value of string.");
  EXPECT_ERROR(constant({"a"}, int32), InvalidArgumentError,
               "constant: \"a\" is not a value of int32.");
}

TEST(Tensor, FromAScalar) {
  EXPECT_EQ(spec_of(Tensor(2.5)), "float32[]");
  EXPECT_EQ(Tensor(2.5).item<float>(), 2.5f);
  EXPECT_EQ(spec_of(Tensor(3)), "int32[]");
  EXPECT_EQ(spec_of(Tensor(0)), "int32[]");
  EXPECT_EQ(spec_of(Tensor(int64_t{3})), "int64[]");
  EXPECT_EQ(spec_of(Tensor(true)), "bool[]");
  EXPECT_EQ(spec_of(Tensor(BFloat16(1))), "bfloat16[]");
  EXPECT_EQ(spec_of(Tensor("text")), "string[]");
  EXPECT_EQ(Tensor("text").item<std::string>(), "text");
  EXPECT_EQ(Tensor(std::string(100, 'x')).item<std::string>().size(), 100u);
  EXPECT_EQ(Tensor(3, float64).item<double>(), 3);
  EXPECT_ERROR(Tensor(300, int8), InvalidArgumentError, "tensor: 300 is not a value of int8.");
  EXPECT_ERROR(Tensor(1, string), InvalidArgumentError, "tensor: 1 is not a value of string.");
  static_assert(!std::is_convertible_v<double, Tensor> && !std::is_convertible_v<int, Tensor>);
  static_assert(!std::is_convertible_v<const char*, Tensor>);
  static_assert(!std::is_constructible_v<Tensor, std::nullptr_t>);
}

TEST(Tensor, FromVectorsAndSpans) {
  const std::vector<int64_t> numbers{1, 2, 3, 4, 5, 6};
  const Tensor flat = numbers;
  EXPECT_EQ(spec_of(flat), "int64[6]");
  EXPECT_EQ(flat.to_vector<int64_t>(), numbers);
  EXPECT_EQ(spec_of(Tensor(numbers, {2, 3})), "int64[2,3]");
  const std::vector<bool> flags{true, false, true, true};
  EXPECT_EQ(spec_of(Tensor(flags)), "bool[4]");
  EXPECT_EQ(Tensor(flags, {2, 2}).to_vector<bool>(), flags);
  EXPECT_EQ(spec_of(Tensor(std::vector<double>{})), "float64[0]");
  EXPECT_EQ(spec_of(Tensor(std::vector<double>{}, {3, 0, 2})), "float64[3,0,2]");

  float array[] = {1, 2, 3, 4};
  EXPECT_EQ(spec_of(Tensor(std::span(array))), "float32[4]");
  EXPECT_EQ(spec_of(Tensor(std::span(array), {4, 1})), "float32[4,1]");
  EXPECT_EQ(spec_of(Tensor(std::span<float>(array), {2, 2})), "float32[2,2]");
  EXPECT_EQ(spec_of(Tensor(std::span<const float>(array, 1), {})), "float32[]");
  const Tensor copy(std::span<const float>{array});
  array[0] = 9;
  EXPECT_EQ(copy.span<float>()[0], 1);

  EXPECT_ERROR(Tensor(numbers, {2, 2}), InvalidArgumentError,
               "tensor: 6 values do not fill the shape [2,2], which has 4 elements.");
  EXPECT_ERROR(Tensor(numbers, {kUnknown}), InvalidArgumentError, "has an unknown dimension.");
  EXPECT_ERROR(Tensor(std::vector<int>{}, {0, kUnknown}), InvalidArgumentError,
               "unknown dimension.");
  EXPECT_ERROR(Tensor(numbers, {int64_t{1} << 62, 4}), InvalidArgumentError, "too many elements");
}

TEST(Tensor, HoldsStrings) {
  for (int count : {0, 1, 10, 1000}) {  // the last is too large to follow its header
    const std::vector<std::string> expected = words(count);
    const Tensor tensor = expected;
    EXPECT_EQ(tensor.to_vector<std::string>(), expected);
    const Tensor other = tensor.reshaped({count, 1});
    EXPECT_EQ(other.to_vector<std::string>(), expected);
  }
  const Tensor empty = Tensor::uninitialized({string, {500}});
  EXPECT_EQ(empty.span<std::string>()[499], "");
}

TEST(Tensor, OfStringsEndsWithItsLastView) {
  // Two threads let go of the last two views at the same time; the strings must end once.
  for (int round = 0; round < 200; ++round) {
    Tensor tensor = words(100);
    Tensor view = tensor.reshaped({10, 10});
    std::thread other([view = std::move(view)]() mutable { view = Tensor(); });
    tensor = Tensor();
    other.join();
  }
}

TEST(Tensor, IsCheapToCopy) {
  const Tensor tensor = {1, 2, 3};
  EXPECT_TRUE(tensor.unique());
  Tensor copy;
  copy = tensor;
  EXPECT_TRUE(copy.same_as(tensor));
  EXPECT_FALSE(tensor.unique());
  EXPECT_EQ(copy.data(), tensor.data());
  EXPECT_FALSE((Tensor{1, 2, 3}).same_as(tensor));
  EXPECT_FALSE(Tensor().unique());
  EXPECT_EQ(sizeof(Tensor), sizeof(void*));
}

TEST(Tensor, OutlivesWhatItWasMadeFrom) {
  Tensor view;
  {
    const Tensor source(std::vector<float>(10'000, 2.f));
    view = source.reshaped({100, 100});
    EXPECT_FALSE(source.unique());
  }
  EXPECT_TRUE(view.unique());
  EXPECT_EQ(view.span<float>()[9'999], 2.f);
  std::thread([&] { view = Tensor(std::vector<int>{7, 8}); }).join();
  EXPECT_EQ(view.span<int>()[1], 8);
}

TEST(Tensor, IsReshaped) {
  const Tensor small = {1, 2, 3, 4, 5, 6};
  const Tensor copied = small.reshaped({2, 3});
  EXPECT_EQ(spec_of(copied), "int32[2,3]");
  EXPECT_NE(copied.data(), small.data());
  EXPECT_EQ(copied.to_vector<int>(), small.to_vector<int>());

  const Tensor large(std::vector<float>(1000, 1.f));
  const Tensor shared = large.reshaped({10, 100});
  EXPECT_EQ(shared.data(), large.data());
  EXPECT_FALSE(shared.unique());
  EXPECT_EQ(spec_of(Tensor(std::vector<int>{}).reshaped({0, 5})), "int32[0,5]");
  EXPECT_EQ(spec_of(Tensor(3).reshaped({1, 1})), "int32[1,1]");

  for (const Tensor& tensor : {small, large})
    for (const Shape& shape : {Shape{7}, Shape{}, Shape{0}, Shape{2000}})
      EXPECT_ERROR(tensor.reshaped(shape), InvalidArgumentError,
                   fmt::format("tensor: the elements of {} do not fill the shape {}.",
                               tensor.spec(), shape));
  EXPECT_ERROR(small.reshaped({kUnknown}), InvalidArgumentError, "unknown dimension");
  EXPECT_ERROR(small.reshaped({int64_t{1} << 40, int64_t{1} << 40}), InvalidArgumentError,
               "too many");
}

TEST(Tensor, IsNeverLargerThanCanBeCounted) {
  constexpr int64_t kBig = int64_t{1} << 31;
  EXPECT_ERROR(Tensor::uninitialized({float32, {kBig, kBig}}), InvalidArgumentError,
               "tensor: a tensor of shape [2147483648,2147483648] has too many elements to count.");
  EXPECT_ERROR(Tensor::uninitialized({float32, {kUnknown, 2}}), InvalidArgumentError, "unknown");
  EXPECT_ERROR(Tensor::uninitialized({uint8, {kBig, kBig}}), ResourceExhaustedError,
               "memory: 4611686018427387904 bytes are too many.");
  EXPECT_EQ(Tensor::uninitialized({float32, {kBig, kBig, 0}}).size(), 0);
}

TEST(Tensor, IsReadAsWhatItIs) {
  const Tensor tensor = {{1.f, 2.f}};
  EXPECT_ERROR(tensor.span<double>(), InvalidArgumentError,
               "tensor: its elements are float32, not float64. Got float32[1,2]. Use cast().");
  EXPECT_ERROR(tensor.to_vector<int>(), InvalidArgumentError, "are float32, not int32.");
  EXPECT_ERROR(tensor.item<float>(), InvalidArgumentError,
               "item: the tensor must have one element. Got float32[1,2].");
  EXPECT_ERROR(constant({}).item<float>(), InvalidArgumentError, "Got float32[0].");
  EXPECT_ERROR(Tensor(1).item<float>(), InvalidArgumentError, "are int32, not float32.");
  EXPECT_EQ((Tensor{{{4}}}).item<int>(), 4);
}

TEST(Tensor, ThatIsNotDefinedSaysSo) {
  constexpr const char* kText = "tensor: it is not defined yet; it has no elements.";
  const Tensor none;
  EXPECT_ERROR(none.spec(), FailedPreconditionError, kText);
  EXPECT_ERROR(none.dtype(), FailedPreconditionError, kText);
  EXPECT_ERROR(none.shape(), FailedPreconditionError, kText);
  EXPECT_ERROR(none.size(), FailedPreconditionError, kText);
  EXPECT_ERROR(none.device(), FailedPreconditionError, kText);
  EXPECT_ERROR(none.span<float>(), FailedPreconditionError, kText);
  EXPECT_ERROR(none.to_vector<float>(), FailedPreconditionError, kText);
  EXPECT_ERROR(none.item<float>(), FailedPreconditionError, kText);
  EXPECT_ERROR(none.reshaped({1}), FailedPreconditionError, kText);
  EXPECT_ERROR(none.cpu(), FailedPreconditionError, kText);
  EXPECT_ERROR(none.data(), FailedPreconditionError, kText);
}

TEST(Tensor, LivesOnAfterTheThreadThatMadeIt) {
  std::vector<Tensor> made;
  std::thread([&] {
    for (int i = 0; i < 100; ++i) made.push_back(Tensor{i, i + 1});
  }).join();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(made[i].span<int>()[1], i + 1);
}

TEST(Tensor, AllocatesWithItsAllocator) {
  class Counting final : public Allocator {
   public:
    int64_t held = 0;
    Device where = kCPU;
    Device device() const override { return where; }
    void* allocate(size_t bytes) override {
      require<ResourceExhaustedError>(bytes < 10'000, "full");
      held += static_cast<int64_t>(bytes);
      return memory::allocate(bytes);
    }
    void release(void* block, size_t bytes) noexcept override {
      held -= static_cast<int64_t>(bytes);
      memory::release(block, bytes);
    }
  } allocator;
  {
    const Tensor small = Tensor::uninitialized({float32, {4}}, allocator);
    EXPECT_EQ(allocator.held, 0);  // it follows its header
    const Tensor large = Tensor::uninitialized({float32, {1000}}, allocator);
    EXPECT_EQ(allocator.held, 4000);
    allocator.where = Device(DeviceType::kSimulated, 7);
    const Tensor there = Tensor::uninitialized({float32, {4}}, allocator);
    EXPECT_EQ(allocator.held, 4016);
    EXPECT_EQ(there.device(), allocator.where);
    EXPECT_ERROR(there.span<float>(), FailedPreconditionError,
                 "tensor: its elements are on /SIM:7. Got float32[4]. Use cpu() or to_vector().");
    EXPECT_ERROR(Tensor::uninitialized({string, {1}}, allocator), InvalidArgumentError,
                 "tensor: strings stay on the CPU. Got string[1], asked for /SIM:7.");
  }
  EXPECT_EQ(allocator.held, 0);
  EXPECT_ERROR(Tensor::uninitialized({float32, {10'000}}, allocator), ResourceExhaustedError,
               "full");
  EXPECT_EQ(allocator.held, 0);
}

TEST(Tensor, RowsAreOverTheSameElementsWhereTheyMayBe) {
  const Tensor x(std::vector<float>(100 * 1024, 1.5f), {100, 1024});
  const Tensor some = x.rows(2, 5);
  EXPECT_EQ(to_string(some.spec()), "float32[3,1024]");
  EXPECT_EQ(some.data(), x.span<float>().data() + size_t{2} * 1024);
  EXPECT_FALSE(x.unique());  // so nobody writes to it in place
  EXPECT_TRUE(x.rows(0, 100).same_as(x));
  EXPECT_EQ(x.rows(3, 3).size(), 0);

  std::vector<int32_t> numbers(3000);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Tensor odd(numbers, {1000, 3});  // a row of 12 bytes: most begin at odd addresses
  const std::vector<int32_t> copied = odd.rows(1, 999).to_vector<int32_t>();
  EXPECT_EQ(copied.front(), 3);
  EXPECT_EQ(copied.back(), 2996);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(odd.rows(1, 999).data()) % memory::kAlignment, 0u);

  const Tensor words = {"a", "b", "c"};
  EXPECT_EQ(words.rows(1, 3).to_vector<std::string>(), (std::vector<std::string>{"b", "c"}));
}

TEST(Tensor, RowsMustBeThere) {
  const Tensor x = {{1, 2}, {3, 4}};
  EXPECT_ERROR(x.rows(1, 3), InvalidArgumentError, "it has no rows 1 to 3. Got int32[2,2].");
  EXPECT_ERROR(x.rows(-1, 1), InvalidArgumentError, "no rows -1 to 1");
  EXPECT_ERROR(Tensor(1).rows(0, 0), InvalidArgumentError, "Got int32[].");
}

TEST(Tensor, IsStillThereAtTheEndOfTheProcess) {
  EXPECT_EQ(g_small.span<int>()[2], 3);
  EXPECT_EQ(g_large.span<float>()[99'999], 1.f);
  EXPECT_EQ(g_strings.span<std::string>()[999].size(), 100u);
}
