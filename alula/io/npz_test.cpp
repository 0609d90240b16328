#include "alula/io/npz.h"

#include "alula/io/mutations_test.h"
#include "alula/io/temporary_test.h"
#include "alula/io/zip.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

// Made by NumPy 2.4: savez_compressed(x=arange(3, dtype="<i4"), s=array(["a", "\xe9"])) and
// savez(x=arange(3, dtype="<i4")).
const std::string kDeflated(
    "PK\003\004-\000\000\000\010\000\000\000!\000\002\354\275\251\377\377\377\377\377\377\377"
    "\377\005\000\024\000x.npy\001\000\020\000\214\000\000\000\000\000\000\000L\000\000\000"
    "\000\000\000\000\233\354\027\352\033\020\311\310P\306P\255\236\222Z\234\134\244n\245\240"
    "n\223i\242\256\243\240\236\226_TR\224\230\027\237_\224\222\012\022wK\314)N\005\212\027g$"
    "\026\244\002\371\032\306:\232:\012\265\012\024\000.\006 `\004b& \006\000PK\003\004-\000"
    "\000\000\010\000\000\000!\000\235\036\270\326\377\377\377\377\377\377\377\377\005\000"
    "\024\000s.npy\001\000\020\000\210\000\000\000\000\000\000\000K\000\000\000\000\000\000"
    "\000\233\354\027\352\033\020\311\310P\306P\255\236\222Z\234\134\244n\245\240n\023j\250"
    "\256\243\240\236\226_TR\224\230\027\237_\224\222\012\022wK\314)N\005\212\027g$\026\244"
    "\002\371\032F:\232:\012\265\012\024\000\256D\006\006\206\227@\014\000PK\001\002-\003-"
    "\000\000\000\010\000\000\000!\000\002\354\275\251L\000\000\000\214\000\000\000\005\000"
    "\000\000\000\000\000\000\000\000\000\000\200\001\000\000\000\000x.npyPK\001\002-\003-"
    "\000\000\000\010\000\000\000!\000\235\036\270\326K\000\000\000\210\000\000\000\005\000"
    "\000\000\000\000\000\000\000\000\000\000\200\001\203\000\000\000s.npyPK\005\006\000\000"
    "\000\000\002\000\002\000f\000\000\000\005\001\000\000\000\000",
    385);
const std::string kStored(
    "PK\003\004-\000\000\000\000\000\000\000!\000\002\354\275\251\377\377\377\377\377\377\377"
    "\377\005\000\024\000x.npy\001\000\020\000\214\000\000\000\000\000\000\000\214\000\000"
    "\000\000\000\000\000\223NUMPY\001\000v\000{'descr': '<i4', 'fortran_order': False, 'shap"
    "e': (3,), }                                                            \012\000\000\000"
    "\000\001\000\000\000\002\000\000\000PK\001\002-\003-\000\000\000\000\000\000\000!\000"
    "\002\354\275\251\214\000\000\000\214\000\000\000\005\000\000\000\000\000\000\000\000\000"
    "\000\000\200\001\000\000\000\000x.npyPK\005\006\000\000\000\000\001\000\001\0003\000\000"
    "\000\303\000\000\000\000\000",
    268);
}  // namespace

TEST(Npz, ReadsFilesOfNumPy) {
  const Npz deflated = parse_npz(kDeflated, "some.npz");
  ASSERT_EQ(deflated.tensors.size(), 2u);
  EXPECT_EQ(deflated.tensors[0].name, "x");
  EXPECT_EQ(deflated.at("x").to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(deflated.at("s").to_vector<std::string>(), (std::vector<std::string>{"a", "\xc3\xa9"}));
  EXPECT_EQ(parse_npz(kStored, "some.npz").at("x").to_vector<int32_t>(),
            (std::vector<int32_t>{0, 1, 2}));
  EXPECT_ERROR(deflated.at("y"), NotFoundError, "npz: there is no array \"y\" among the 2.");
}

TEST(Npz, ReadsWhatIsWritten) {
  const TemporaryFolder folder;
  const Tensor x = {{1.5f, 2.f}, {3.f, 4.f}};
  const Tensor names(std::vector<std::string>{"a", "bc"});
  for (bool compressed : {false, true}) {
    save_npz(folder / "x.npz",
             {{"x", x}, {"folder/names", names}, {"empty", Tensor(std::vector<float>{})}},
             {.compressed = compressed});
    const Npz read = load_npz(folder / "x.npz");
    ASSERT_EQ(read.tensors.size(), 3u);
    EXPECT_EQ(read.at("x").to_vector<float>(), x.to_vector<float>());
    EXPECT_EQ(to_string(read.at("x").spec()), "float32[2,2]");
    EXPECT_EQ(read.at("folder/names").to_vector<std::string>(), names.to_vector<std::string>());
    EXPECT_EQ(to_string(read.at("empty").spec()), "float32[0]");
  }
  save_npz(folder / "none.npz", {});
  EXPECT_EQ(load_npz(folder / "none.npz").tensors.size(), 0u);
}

TEST(Npz, LeavesOutWhatIsNoArray) {
  const TemporaryFolder folder;
  ZipWriter zip(folder / "x.npz");
  zip.add("notes.txt", {"some ", "text"});
  zip.commit();
  EXPECT_EQ(load_npz(folder / "x.npz").tensors.size(), 0u);
}

TEST(Npz, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto parse = [](const std::string& bytes) { return parse_npz(bytes, "some.npz"); };
  EXPECT_ERROR(parse("text"), DataLossError,
               "some.npz: this is not a zip file, or it is cut short");
  EXPECT_ERROR(parse(""), DataLossError, "some.npz: this is not a zip file, or it is cut short");
  std::string bad = kStored;
  bad[bad.find("PK\1\2") - 1] ^= 1;
  EXPECT_ERROR(parse(bad), DataLossError,
               "some.npz: x.npy: it is damaged: its checksum is debadc94, not a9bdec02.");
  bad = kDeflated;
  bad[60] ^= 0x55;
  EXPECT_ERROR(parse(bad), DataLossError, "some.npz: x.npy: the deflated data are damaged:");
  const size_t entry = kStored.find("PK\1\2");
  bad = kStored;
  bad[entry + 8] |= 1;
  EXPECT_ERROR(parse(bad), UnimplementedError, "some.npz: x.npy is encrypted");
  bad = kStored;
  bad[entry + 10] = 12;
  EXPECT_ERROR(parse(bad), UnimplementedError, "some.npz: x.npy is compressed by method 12;");
  bad = kStored;
  bad[entry + 20] = static_cast<char>(0x8b), bad[entry + 24] = static_cast<char>(0x8b);
  EXPECT_ERROR(parse(bad), DataLossError,
               "some.npz: x.npy: the file is cut short: its header says");
  bad = kStored;
  bad[entry + 45] = 1;  // its header would be behind the end
  EXPECT_ERROR(parse(bad), DataLossError, "some.npz: the zip file is damaged: it is cut short.");
  bad = kStored;
  bad[entry + 23] = 1;
  EXPECT_ERROR(parse(bad), DataLossError, "its members overlap or are cut short.");
  bad = kStored;
  bad[bad.size() - 12] = 2;
  EXPECT_ERROR(parse(bad), DataLossError,
               "some.npz: the zip file is damaged: members are missing.");
  bad[bad.size() - 12] = bad[bad.size() - 11] = static_cast<char>(0xff);
  EXPECT_ERROR(parse(bad), DataLossError, "its sizes are missing.");
  EXPECT_ERROR(load_npz(folder / "none.npz"), NotFoundError, "none.npz");
  EXPECT_ERROR(load_npz("/dev/null"), FailedPreconditionError, "must be a regular file");
  const Tensor x = {1, 2};
  EXPECT_ERROR(save_npz(folder / "x", {{"a", x}, {"a", x}}), InvalidArgumentError,
               "save_npz: the name \"a\" occurs twice.");
  EXPECT_ERROR(save_npz(folder / "x", {{"a", Tensor()}}), InvalidArgumentError,
               "save_npz: the tensor \"a\" is not defined.");
  EXPECT_EQ(folder.count(), 0);
}

TEST(Npz, RefusesNamesThatOccurTwice) {
  const TemporaryFolder folder;
  const std::string npy = kStored.substr(55, 140);
  ZipWriter zip(folder / "x.npz");
  zip.add("x.npy", {npy});
  zip.add("x.npy", {npy});
  zip.commit();
  EXPECT_ERROR(load_npz(folder / "x.npz"), DataLossError, "the array \"x\" occurs twice.");
}

// A comment at the end, of which a part looks like the end itself.
TEST(Npz, FindsItsEndBeforeAComment) {
  std::string bytes = kStored;
  const std::string comment = "a comment PK\5\6 and more text behind it";
  bytes[bytes.size() - 2] = static_cast<char>(comment.size());
  EXPECT_EQ(parse_npz(bytes + comment, "some.npz").tensors.size(), 1u);
}

// Sizes of 64 bits, where those of 32 would do: the list of members says so, and the file's end
// does.
TEST(Npz, ReadsLargeSizes) {
  const size_t entry = kStored.find("PK\1\2"), end = kStored.find("PK\5\6");
  const auto number = [](uint64_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  std::string directory = kStored.substr(entry, end - entry);
  directory.replace(20, 8, 8, '\xff');
  directory.replace(42, 4, 4, '\xff');
  directory[30] = 28 + 6;
  directory += std::string("\x99\x99\2\0zz\1\0\x18\0", 10) + number(140) + number(140) + number(0);
  std::string large = kStored.substr(0, entry) + directory;
  const uint64_t end_position = large.size();
  large += std::string("PK\6\6", 4) + number(44) + std::string("\x2d\3\x2d\0", 4) + number(0) +
           number(1) + number(1) + number(directory.size()) + number(entry);
  large += std::string("PK\6\7\0\0\0\0", 8) + number(end_position) + std::string("\1\0\0\0", 4);
  large += std::string("PK\5\6\0\0\0\0", 8) + std::string(12, '\xff') + std::string(2, '\0');
  const Npz read = parse_npz(large, "large.npz");
  EXPECT_EQ(read.at("x").to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2}));
}

TEST(Npz, SurvivesDamage) {
  const auto read = [](const std::string& bytes) { parse_npz(bytes, "damaged"); };
  EXPECT_GT(alula::testing::survive(kStored, read), 1500);
  EXPECT_GT(alula::testing::survive(kDeflated, read), 1500);
}
