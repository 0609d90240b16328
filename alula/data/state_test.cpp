#include "alula/data/state.h"

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::data;

namespace {

std::string written() {
  StateWriter writer;
  writer.tag("step");
  writer.number(-7);
  writer.text("text");
  writer.tensors({Tensor{{1.5f, 2.5f}}, Tensor{"a", "", "bcd"}, Tensor(true)});
  return writer.bytes();
}

void read(std::string_view bytes) {
  StateReader reader(bytes);
  reader.tag("step");
  EXPECT_EQ(reader.number(), -7);
  EXPECT_EQ(reader.text(), "text");
  const std::vector<Tensor> tensors = reader.tensors();
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[0].str(), "[[1.5 2.5]]");
  EXPECT_EQ(tensors[1].to_vector<std::string>(), (std::vector<std::string>{"a", "", "bcd"}));
  EXPECT_TRUE(tensors[2].item<bool>());
  EXPECT_TRUE(reader.done());
}

}  // namespace

TEST(State, IsReadAsItWasWritten) { read(written()); }

TEST(State, CutShortAnywhereIsAnError) {
  const std::string bytes = written();
  for (size_t i = 0; i < bytes.size(); ++i)
    EXPECT_THROW(read(std::string_view(bytes).substr(0, i)), DataLossError) << i;
}

TEST(State, OfAbsurdSizesIsAnError) {
  StateWriter writer;
  for (const int64_t number : {int64_t{2}, int64_t{2}, int64_t{1} << 40, int64_t{1} << 40})
    writer.number(number);
  EXPECT_ERROR(StateReader(writer.bytes()).tensor(), DataLossError, "is damaged");
  StateWriter many;
  many.number(int64_t{1} << 60);
  EXPECT_ERROR(StateReader(many.bytes()).tensors(), DataLossError, "is damaged");
  StateWriter negative;
  negative.number(-1);
  EXPECT_ERROR(StateReader(negative.bytes()).count(), DataLossError, "is damaged");
  EXPECT_ERROR(StateReader(negative.bytes()).text(), DataLossError, "is damaged");
}

TEST(State, KnowsItsPipelineAndItsDamage) {
  const std::string whole = sealed("range\nbatch", written());
  read(unsealed("range\nbatch", whole));
  EXPECT_ERROR(unsealed("range\nmap", whole), InvalidArgumentError,
               "saved by another pipeline than this one:\nrange\nmap");
  EXPECT_ERROR(unsealed("range\nbatch", "hello"), DataLossError, "no saved state");
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    EXPECT_THROW(unsealed("range\nbatch", damaged), DataLossError) << i;
  }
}
