#include "alula/io/glob.h"

#include "alula/io/temporary_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using alula::testing::put;
using alula::testing::TemporaryFolder;
using Strings = std::vector<std::string>;

TEST(Glob, FindsFilesInOrder) {
  const TemporaryFolder folder;
  for (const char* name : {"b-10.txt", "b-2.txt", "a-1.txt", "c.md", ".hidden", "B.txt", "*.x"})
    put(folder / name, "");
  std::filesystem::create_directory(folder / "sub");
  put(folder / "sub" + "/d.txt", "");
  EXPECT_EQ(io::glob(folder / "*.txt"), (Strings{folder / "B.txt", folder / "a-1.txt",
                                                 folder / "b-10.txt", folder / "b-2.txt"}));
  EXPECT_EQ(io::glob(folder / "?-?.txt"), (Strings{folder / "a-1.txt", folder / "b-2.txt"}));
  EXPECT_EQ(io::glob(folder / "[bc]*"),
            (Strings{folder / "b-10.txt", folder / "b-2.txt", folder / "c.md"}));
  EXPECT_EQ(io::glob(folder / "s*/*.txt"), (Strings{folder / "sub" + "/d.txt"}));
  EXPECT_EQ(io::glob(folder / "c.md"), (Strings{folder / "c.md"}));
  EXPECT_EQ(io::glob(folder / "\\*.x"), (Strings{folder / "*.x"}));
  EXPECT_EQ(io::glob(Strings{folder / "c*", folder / "*.md", folder / "none", folder / "a*"}),
            (Strings{folder / "a-1.txt", folder / "c.md"}));
}

TEST(Glob, NamesThePatternThatMatchesNothing) {
  EXPECT_ERROR(io::glob("/nonexistent/*.txt"), NotFoundError,
               "glob: no file matches /nonexistent/*.txt.");
  EXPECT_ERROR(io::glob(Strings{"/nonexistent/a*", "/nonexistent/b*"}), NotFoundError,
               "glob: no file matches /nonexistent/a*, /nonexistent/b*.");
  EXPECT_ERROR(io::glob(std::string("a\0b", 3)), InvalidArgumentError, "zero bytes");
}
