#include "alula/data/dataset_test.h"
#include "alula/io/npy.h"
#include "alula/io/npz.h"
#include "alula/io/temporary_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;
using alula::testing::TemporaryFolder;

TEST(Numpy, ReadsSlicesOfArrays) {
  const TemporaryFolder folder;
  io::save_npy(folder / "a.npy", Tensor{{1, 2}, {3, 4}, {5, 6}});
  const Dataset rows = Dataset::numpy(folder / "a.npy");
  EXPECT_EQ(texts(rows), (std::vector<std::string>{"[1 2]", "[3 4]", "[5 6]"}));
  EXPECT_EQ(rows.cardinality(), 3);
  expect_same_in_blocks(rows);
  expect_restores_everywhere(rows);
}

TEST(Numpy, ReadsArraysByName) {
  const TemporaryFolder folder;
  io::save_npz(folder / "a.npz", {{"x", Tensor{1.5f, 2.5f}}, {"y", Tensor{7, 8}}});
  const Dataset rows = Dataset::numpy(folder / "a.npz");
  EXPECT_EQ(texts(rows), (std::vector<std::string>{"{x: 1.5, y: 7}", "{x: 2.5, y: 8}"}));
  expect_restores_everywhere(rows.batch(1));
}

TEST(Numpy, ChecksWhatItIsGiven) {
  const TemporaryFolder folder;
  io::save_npz(folder / "none.npz", {});
  EXPECT_ERROR(Dataset::numpy(folder / "none.npz"), InvalidArgumentError,
               "numpy: there is no array in");
  EXPECT_ERROR(Dataset::numpy(folder / "gone.npy"), NotFoundError, "gone.npy");
  io::save_npz(folder / "odd.npz", {{"x", Tensor{1, 2}}, {"y", Tensor{7}}});
  EXPECT_ERROR(Dataset::numpy(folder / "odd.npz"), InvalidArgumentError,
               "the first dimensions differ");
}
