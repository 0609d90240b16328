#include "alula/io/safetensors.h"

#include <cstring>

#include "alula/io/file.h"
#include "alula/io/mutations_test.h"
#include "alula/io/temporary_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

std::string file_of(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

/// Written by Python's package safetensors 0.8 from NumPy arrays.
std::string python_file() {
  return file_of(
      R"({"__metadata__":{"format":"np","made by":"é"},)"
      R"("scalar":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"F32","shape":[2,2],"data_offsets":[8,24]},)"
      R"("empty":{"dtype":"F16","shape":[0,3],"data_offsets":[24,24]},)"
      R"("a":{"dtype":"U8","shape":[3],"data_offsets":[24,27]},)"
      R"("flags":{"dtype":"BOOL","shape":[2],"data_offsets":[27,29]}} )",
      std::string("\xf9\xff\xff\xff\xff\xff\xff\xff\x00\x00\xc0?\x00\x00\x00\xc0\x00\x00P@\x00\x00"
                  "\x80@\x01\x02\x03\x01\x00",
                  29));
}

SafeTensors parse(const std::string& header, const std::string& data = "") {
  return parse_safetensors(file_of(header, data), "x.safetensors");
}

std::string bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.data()), static_cast<size_t>(tensor.bytes())};
}

/// A tensor of every dtype and of several ranks.
SafeTensors sample() {
  SafeTensors contents;
  contents.metadata = {{"format", "alula"}, {"quote\"\n", "\u20ac"}};
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == string) continue;
    const bool flags = dtype == boolean;
    const Tensor tensor =
        flags ? constant({{true, false, true}}) : constant({{1, 2, 3}, {4, 5, 100}}, dtype);
    contents.tensors.push_back({fmt::format("layer/{}", dtype), tensor});
  }
  contents.tensors.push_back({"scalar", Tensor(2.5)});
  contents.tensors.push_back({"empty", Tensor(std::vector<double>{}, {3, 0})});
  contents.tensors.push_back({"", Tensor(std::vector<float>(10'000, 1.5f), {100, 100})});
  return contents;
}

}  // namespace

TEST(SafeTensors, OpensWhatPythonWrote) {
  const SafeTensors read = parse_safetensors(python_file(), "python");
  ASSERT_EQ(read.tensors.size(), 5u);
  EXPECT_EQ(read.tensors[0].name, "scalar");
  EXPECT_EQ(read.tensors[4].name, "flags");
  EXPECT_EQ(read.at("scalar").item<int64_t>(), -7);
  EXPECT_EQ(to_string(read.at("b").spec()), "float32[2,2]");
  EXPECT_EQ(read.at("b").to_vector<float>(), (std::vector<float>{1.5, -2, 3.25, 4}));
  EXPECT_EQ(read.at("a").to_vector<uint8_t>(), (std::vector<uint8_t>{1, 2, 3}));
  EXPECT_EQ(read.at("flags").to_vector<bool>(), (std::vector<bool>{true, false}));
  EXPECT_EQ(to_string(read.at("empty").spec()), "float16[0,3]");
  const decltype(read.metadata) expected{{"format", "np"}, {"made by", "é"}};
  EXPECT_EQ(read.metadata, expected);
  EXPECT_ERROR(read.at("c"), NotFoundError, "there is no tensor \"c\" among the 5.");
}

TEST(SafeTensors, AreReadBackAsWritten) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.safetensors";
  const SafeTensors written = sample();
  write_safetensors(path, written);
  const SafeTensors read = read_safetensors(path);
  EXPECT_EQ(read.metadata, written.metadata);
  ASSERT_EQ(read.tensors.size(), written.tensors.size());
  for (size_t i = 0; i < read.tensors.size(); ++i) {
    EXPECT_EQ(read.tensors[i].name, written.tensors[i].name);
    EXPECT_EQ(read.tensors[i].tensor.spec(), written.tensors[i].tensor.spec());
    EXPECT_EQ(bytes_of(read.tensors[i].tensor), bytes_of(written.tensors[i].tensor));
  }
  write_safetensors(path, {});
  EXPECT_TRUE(read_safetensors(path).tensors.empty());
  EXPECT_EQ(folder.count(), 1);
}

TEST(SafeTensors, AreAligned) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.safetensors";
  // The bytes come first in the header, but last in the file.
  write_safetensors(path, {{{"x", constant({1, 2, 3}, uint8)}, {"y", constant({1}, float64)}}, {}});
  const std::string header = R"({"x": {"dtype": "U8", "shape": [3], "data_offsets": [8, 11]}, )"
                             R"("y": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}})";
  const std::string bytes = read_file(path);
  EXPECT_EQ(bytes.substr(8, header.size()), header);
  EXPECT_EQ(bytes[0] % 8, 0);
  EXPECT_EQ(bytes.size(), 8u + static_cast<unsigned char>(bytes[0]) + 11);
}

TEST(SafeTensors, AreWrittenFromAnyDevice) {
  const TemporaryFolder folder;
  for (const Device device : alula::testing::test_devices()) {
    write_safetensors(folder / "a", {{{"x", Tensor{1.f, 2.f}.to(device)}}, {}});
    EXPECT_EQ(read_safetensors(folder / "a").at("x").to_vector<float>(),
              (std::vector<float>{1, 2}));
  }
}

TEST(SafeTensors, ThatCannotBeWrittenLeaveTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  put(path, "old");
  const Tensor one{1};
  EXPECT_ERROR(write_safetensors(path, {{{"x", Tensor{"text"}}}, {}}), InvalidArgumentError,
               "write_safetensors: the format has no strings. Got \"x\" string[1].");
  EXPECT_ERROR(write_safetensors(path, {{{"x", one}, {"x", one}}, {}}), InvalidArgumentError,
               "write_safetensors: the name \"x\" occurs twice");
  EXPECT_ERROR(write_safetensors(path, {{{"__metadata__", one}}, {}}), InvalidArgumentError,
               "is the format's own");
  EXPECT_ERROR(write_safetensors(path, {{}, {{"k", "1"}, {"k", "2"}}}), InvalidArgumentError,
               "the metadata \"k\" occur twice");
  EXPECT_ERROR(write_safetensors(path, {{{"x", Tensor()}}, {}}), InvalidArgumentError,
               "the tensor \"x\" is not defined");
  EXPECT_ERROR(write_safetensors(path, {{{"\xff", one}}, {}}), InvalidArgumentError, "UTF-8");
  EXPECT_ERROR(write_safetensors(folder / "no/a", {{{"x", one}}, {}}), NotFoundError, "no/a");
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(folder.count(), 1);
}

TEST(SafeTensors, SayWhatIsWrong) {
  const std::string good = R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";
  EXPECT_EQ(parse(good, "ab").tensors.size(), 1u);
  EXPECT_ERROR(parse(good, "a"), DataLossError,
               "x.safetensors: the file is cut short: its tensors take 2 bytes, at most 1 are");
  EXPECT_ERROR(parse(good, "abc"), DataLossError,
               "x.safetensors: there are bytes after the end of the data.");
  EXPECT_ERROR(parse_safetensors("abc", "x"), DataLossError, "x: the file is cut short");
  EXPECT_ERROR(parse_safetensors(std::string(8, '\xff'), "x"), DataLossError,
               "its header would be 18446744073709551615 bytes long");
  EXPECT_ERROR(parse("[]"), DataLossError, "no JSON object begins it");
  EXPECT_ERROR(parse(""), DataLossError, "no JSON object begins it");
  EXPECT_ERROR(parse(" {}"), DataLossError, "no JSON object begins it");
  EXPECT_ERROR(parse("{"), DataLossError, "x.safetensors: the JSON is not valid");
  EXPECT_ERROR(parse(R"({"__metadata__":[]})"), DataLossError, "metadata are not an object");
  EXPECT_ERROR(parse(R"({"__metadata__":{"a":1}})"), DataLossError,
               "metadata \"a\" are not a string");
  const auto entry = [](const char* dtype, const char* shape, const char* offsets) {
    return fmt::format(R"({{"x":{{"dtype":{},"shape":{},"data_offsets":{}}}}})", dtype, shape,
                       offsets);
  };
  const std::string bytes(64, '\0');
  EXPECT_ERROR(parse(R"({"x":1})", bytes), DataLossError,
               "the tensor \"x\" must have dtype, shape and data_offsets.");
  EXPECT_ERROR(parse(R"({"x":{"dtype":"U8","shape":[1],"offsets":[0,1]}})", bytes), DataLossError,
               "the tensor \"x\" must have dtype, shape and data_offsets.");
  EXPECT_ERROR(parse(entry("8", "[1]", "[0,1]"), bytes), DataLossError, "must have dtype");
  EXPECT_ERROR(parse(entry("\"F8_E4M3\"", "[1]", "[0,1]"), bytes), UnimplementedError,
               "x.safetensors: the tensor \"x\" is of the dtype F8_E4M3, which is not supported.");
  EXPECT_ERROR(parse(entry("\"U8\"", "1", "[0,1]"), bytes), DataLossError, "lists of numbers");
  EXPECT_ERROR(parse(entry("\"U8\"", "[-1]", "[0,1]"), bytes), DataLossError, "that is not one");
  EXPECT_ERROR(parse(entry("\"U8\"", "[1.0]", "[0,1]"), bytes), DataLossError, "that is not one");
  EXPECT_ERROR(parse(entry("\"U8\"", "[1]", "[1]"), bytes), DataLossError, "two numbers that grow");
  EXPECT_ERROR(parse(entry("\"U8\"", "[1]", "[2,1]"), bytes), DataLossError,
               "two numbers that grow");
  EXPECT_ERROR(parse(entry("\"F32\"", "[2]", "[0,4]"), bytes), DataLossError,
               "the tensor \"x\" is float32[2], which does not take the 4 bytes that it has.");
  EXPECT_ERROR(parse(entry("\"U8\"", "[4294967296,4294967296]", "[0,0]"), bytes), DataLossError,
               "which does not take the 0 bytes");
  EXPECT_ERROR(parse(entry("\"U8\"", "[1,1,1,1,1,1,1,1,1]", "[0,1]"), bytes), UnimplementedError,
               "has 9 dimensions; at most 8 are supported");
  EXPECT_ERROR(parse(entry("\"U8\"", "[1]", "[1,2]"), "ab"), DataLossError,
               "begin at 1 instead of 0: there is a gap.");
  EXPECT_ERROR(parse(entry("\"BOOL\"", "[2]", "[0,2]"), "\x01\x02"), DataLossError,
               "the tensor \"x\" has bools that are neither 0 nor 1.");
  EXPECT_ERROR(parse(R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                     R"("y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                     "abc"),
               DataLossError, "of the tensor \"y\" begin at 1 instead of 2: tensors overlap.");
  EXPECT_ERROR(parse(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                     R"("x":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                     "ab"),
               DataLossError, "the key \"x\" occurs twice");
  EXPECT_ERROR(read_safetensors("/nonexistent/a"), NotFoundError, "/nonexistent/a");
}

TEST(SafeTensors, SurviveDamage) {
  const auto read = [](const std::string& bytes) { parse_safetensors(bytes, "damaged"); };
  const size_t front = python_file().size() - 29;
  EXPECT_GT(alula::testing::survive(python_file(), read, {.rounds = 5000}), 3000);
  EXPECT_GT(
      alula::testing::survive(python_file(), read, {.rounds = 5000, .seed = 7, .front = front}),
      3000);
  EXPECT_GT(alula::testing::survive(python_file(), read, {.seed = 3, .front = 8}), 2900);
}
