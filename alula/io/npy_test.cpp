#include "alula/io/npy.h"

#include "alula/core/half.h"
#include "alula/io/mutations_test.h"
#include "alula/io/temporary_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;
using alula::testing::TemporaryFolder;

namespace {

/// A file with that text for a header, of version 1, 2 or 3.
std::string file_of(std::string_view text, std::string_view elements, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(text.size() >> (8 * i));
  bytes += text;
  bytes += elements;
  return bytes;
}

std::string header(std::string_view descr, std::string_view shape, bool fortran = false) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr,
                     fortran ? "True" : "False", shape);
}

Tensor parse(std::string_view descr, std::string_view shape, std::string_view elements,
             bool fortran = false) {
  return parse_npy(file_of(header(descr, shape, fortran), elements), "some.npy");
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string bytes_of(const Tensor& tensor) {
  const NpyParts parts = npy_parts(tensor);
  return parts.head + std::string(parts.body());
}

template <class T>
void round_trip(const std::vector<T>& values) {
  const Tensor tensor(values);
  const Tensor read = parse_npy(bytes_of(tensor), "some.npy");
  EXPECT_EQ(read.spec(), tensor.spec());
  EXPECT_EQ(npy_parts(read).body(), npy_parts(tensor).body()) << to_string(tensor.spec());
}

}  // namespace

TEST(Npy, IsWrittenAsNumPyDoes) {
  // np.save(file, np.array([[1, 2.5], [-3, 4]], "<f4")), by NumPy 2.4
  std::string expected("\x93NUMPY\1\0v\0", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
  expected.append(58, ' ').append("\n").append(raw<float>({1, 2.5f, -3, 4}));
  const Tensor tensor = {{1.f, 2.5f}, {-3.f, 4.f}};
  EXPECT_EQ(bytes_of(tensor), expected);
  const std::string scalar = npy_parts(Tensor(true)).head;
  EXPECT_NE(scalar.find("{'descr': '|b1', 'fortran_order': False, 'shape': (), }"),
            std::string::npos);
  EXPECT_EQ(scalar.size() % 64, 0u);
  EXPECT_NE(npy_parts(Tensor({1, 2})).head.find("'shape': (2,), }"), std::string::npos);
}

TEST(Npy, KeepsEveryDType) {
  round_trip<float>({1.5f, -2.f});
  round_trip<double>({1.5, -2});
  round_trip<Half>({Half(1.5f), Half(-2.f)});
  round_trip<int8_t>({-1, 127});
  round_trip<int16_t>({-1, 300});
  round_trip<int32_t>({-1, 1 << 20});
  round_trip<int64_t>({-1, int64_t{1} << 40});
  round_trip<uint8_t>({1, 255});
  round_trip<uint16_t>({1, 65535});
  round_trip<uint32_t>({1, ~0u});
  round_trip<uint64_t>({1, ~uint64_t{0}});
  round_trip<std::string>({"", "a", std::string("x\0y", 3)});
  EXPECT_EQ(parse_npy(bytes_of(Tensor{true, false}), "x").to_vector<bool>(),
            (std::vector<bool>{true, false}));
}

TEST(Npy, HasAnyRankAndNoElements) {
  const TemporaryFolder folder;
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 1, 3}, Shape{1, 1, 1, 1, 1, 1, 1, 2},
                             Shape{0}, Shape{4, 0, 2}}) {
    const Tensor tensor(std::vector<int32_t>(static_cast<size_t>(shape.size()), 7), shape);
    save_npy(folder / "x.npy", tensor);
    const Tensor read = load_npy(folder / "x.npy");
    EXPECT_EQ(read.spec(), tensor.spec());
    EXPECT_EQ(read.to_vector<int32_t>(), tensor.to_vector<int32_t>());
  }
  EXPECT_ERROR(parse("<f4", "(1,1,1,1,1,1,1,1,1)", "1234"), UnimplementedError,
               "some.npy: the array has more than 8 dimensions");
}

TEST(Npy, ReadsOtherByteOrders) {
  EXPECT_EQ(parse(">i2", "(2,)", std::string("\1\2\xff\xfe", 4)).to_vector<int16_t>(),
            (std::vector<int16_t>{258, -2}));
  EXPECT_EQ(parse(">f4", "(1,)", std::string("\x3f\xc0\0\0", 4)).item<float>(), 1.5f);
  EXPECT_EQ(parse(">f8", "()", std::string("\x3f\xf8\0\0\0\0\0\0", 8)).item<double>(), 1.5);
  EXPECT_EQ(parse("=u2", "()", std::string("\1\0", 2)).item<uint16_t>(), 1);
}

TEST(Npy, ReadsFortranOrder) {
  // np.save(file, np.asfortranarray(np.arange(6).reshape(1, 2, 3)))
  const Tensor read = parse("<i4", "(1, 2, 3)", raw<int32_t>({0, 3, 1, 4, 2, 5}), true);
  EXPECT_EQ(to_string(read.spec()), "int32[1,2,3]");
  EXPECT_EQ(read.to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(parse("|S1", "(2, 2)", "acbd", true).to_vector<std::string>(),
            (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(parse(">u2", "(2, 2)", std::string("\0\1\0\3\0\2\0\4", 8), true).to_vector<uint16_t>(),
            (std::vector<uint16_t>{1, 2, 3, 4}));
  EXPECT_EQ(parse("<f8", "(2, 2)", raw<double>({1, 3, 2, 4}), true).to_vector<double>(),
            (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(parse("|u1", "(2, 2)", "acbd", true).to_vector<uint8_t>(),
            (std::vector<uint8_t>{'a', 'b', 'c', 'd'}));
  EXPECT_EQ(to_string(parse("<f8", "(0, 9223372036854775807, 8)", "", true).spec()),
            "float64[0,9223372036854775807,8]");
}

TEST(Npy, ReadsStrings) {
  EXPECT_EQ(parse("|S3", "(2,)", std::string("a\0\0x\0z", 6)).to_vector<std::string>(),
            (std::vector<std::string>{"a", std::string("x\0z", 3)}));
  const std::vector<uint32_t> points = {'a', 0, 0, 0xe9, 0x20ac, 0x1f600};
  EXPECT_EQ(parse("<U3", "(2,)", raw(points)).to_vector<std::string>(),
            (std::vector<std::string>{"a", "é€😀"}));
  EXPECT_EQ(parse(">U1", "()", std::string("\0\0\0x", 4)).item<std::string>(), "x");
  EXPECT_ERROR(parse("<U1", "()", raw<uint32_t>({0xd800})), DataLossError,
               "some.npy: a string has the character 0xd800, which Unicode has not.");
  EXPECT_ERROR(parse("<U1", "()", raw<uint32_t>({0x110000})), DataLossError, "character 0x110000");
  EXPECT_ERROR(parse("|S0", "(1000000000000,)", ""), DataLossError, "strings have no such length");
}

TEST(Npy, ReadsEveryVersionAndStyleOfHeader) {
  for (int version : {1, 2, 3})
    EXPECT_EQ(parse_npy(file_of(header("|u1", "(2,)"), "ab", version), "x").size(), 2);
  EXPECT_EQ(
      parse_npy(file_of("{\"shape\":(2L,) , \"fortran_order\":False,\"descr\":\"|u1\"}  ", "ab"),
                "x")
          .size(),
      2);
}

TEST(Npy, SaysWhatIsWrong) {
  const auto text = [](std::string_view header) {
    return parse_npy(file_of(header, ""), "some.npy");
  };
  EXPECT_ERROR(parse_npy("PK345678", "some.npy"), DataLossError,
               "some.npy: this is not a .npy file: it does not begin with \\x93NUMPY.");
  EXPECT_ERROR(parse_npy(file_of("", "", 4), "some.npy"), UnimplementedError,
               "versions 1.0, 2.0 and 3.0. Got 4.0.");
  EXPECT_ERROR(parse_npy(std::string("\x93NUMPY\2\0\xff\xff\xff\x7f", 12), "some.npy"),
               DataLossError, "its header would be 2147483647 bytes long.");
  EXPECT_ERROR(text("[]"), DataLossError,
               "some.npy: the header of the array is damaged: it is not the dictionary that NumPy "
               "writes, at character 0 of its text.");
  EXPECT_ERROR(text("{'descr': '<f4'}"), DataLossError, "descr, fortran_order or shape is missing");
  EXPECT_ERROR(text("{'descr': '<f4', 'descr': '<f4'}"), DataLossError, "occurs twice");
  EXPECT_ERROR(text("{'fortran_order': 1}"), DataLossError, "fortran_order is not True or False");
  EXPECT_ERROR(text("{'shape': (-1,)}"), DataLossError, "a dimension is not a size");
  EXPECT_ERROR(text("{'shape': (99999999999999999999,)}"), DataLossError, "a dimension is not");
  EXPECT_ERROR(text("{'descr': '\\x41'}"), DataLossError, "a string has an escape");
  EXPECT_ERROR(text("{'descr"), DataLossError, "a string has no end");
  EXPECT_ERROR(text("{'descr': [('a', '<f4')]}"), UnimplementedError, "records with fields");
  EXPECT_ERROR(parse("|O", "(1,)", ""), UnimplementedError,
               "some.npy: the array is of NumPy's dtype '|O', which is not supported.");
  EXPECT_ERROR(parse("<c8", "(1,)", ""), UnimplementedError, "dtype '<c8'");
  EXPECT_ERROR(parse("<f16", "(1,)", ""), UnimplementedError, "dtype '<f16'");
  EXPECT_ERROR(parse("<f4", "(2, 2)", "123456789012345"), DataLossError,
               "some.npy: the file is cut short: its header says float32[2,2], but at most 15");
  EXPECT_ERROR(parse("<f4", "(4294967296, 4294967296)", ""), DataLossError, "is cut short");
  EXPECT_ERROR(parse("<f4", "(1,)", "12345"), DataLossError, "bytes after the end of the data");
  EXPECT_ERROR(parse("|b1", "(1,)", "\2"), DataLossError, "bools that are neither 0 nor 1");
  EXPECT_ERROR(load_npy("/nonexistent/x.npy"), NotFoundError, "/nonexistent/x.npy");
  EXPECT_ERROR(npy_parts(constant({1}, bfloat16)), InvalidArgumentError,
               "save_npy: NumPy has no such dtype. Got bfloat16[1]. Cast the tensor, to float32");
  EXPECT_ERROR(npy_parts(Tensor(std::string_view("a\0", 2))), InvalidArgumentError,
               "save_npy: NumPy takes zero bytes at the end of a string for padding.");
}

TEST(Npy, SurvivesDamage) {
  const auto read = [](const std::string& bytes) { parse_npy(bytes, "damaged"); };
  const std::string good = bytes_of(Tensor{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  EXPECT_GT(alula::testing::survive(good, read), 1000);
  const std::string strings =
      file_of(header("<U2", "(2, 1)", true), raw<uint32_t>({65, 66, 67, 0}));
  EXPECT_GT(alula::testing::survive(strings, read), 1000);
}
