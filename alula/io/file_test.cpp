#include "alula/io/file.h"

#include <csignal>
#include <fcntl.h>
#include <random>
#include <thread>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "alula/io/temporary_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::io;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

/// A version of a file: long, and every part of it says which one it is.
std::string version(uint32_t number) {
  std::string bytes(reinterpret_cast<const char*>(&number), sizeof(number));
  const size_t size = (100'000 + number % 1000) * sizeof(number);
  while (bytes.size() < size) bytes.append(bytes, 0, size - bytes.size());
  return bytes;
}

/// Writes version after version until it is killed.
[[noreturn]] void write_versions(const std::string& path, uint32_t from) {
  for (uint32_t number = from;; ++number) {
    const std::string bytes = version(number);
    AtomicFile file(path);
    for (size_t at = 0; at < bytes.size(); at += 50'000)
      file.write(std::string_view(bytes).substr(at, 50'000));
    file.commit();
  }
}

}  // namespace

TEST(File, IsReadWhole) {
  const TemporaryFolder folder;
  const std::string bytes = version(7);
  put(folder / "a", bytes);
  EXPECT_EQ(read_file(folder / "a"), bytes);
  put(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty"), "");
  EXPECT_EQ(read_file("/proc/self/stat").substr(0, 1).size(), 1u);  // its size is said to be 0
}

TEST(File, IsReadFromAPipe) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe", bytes = version(3);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { put(pipe, bytes); });
  EXPECT_EQ(read_file(pipe), bytes);
  writer.join();
}

TEST(File, ErrorsNameIt) {
  const TemporaryFolder folder;
  EXPECT_ERROR(read_file(folder / "none"), NotFoundError,
               "file: cannot open " + folder / "none" + ": No such file or directory.");
  EXPECT_ERROR(read_file(folder.path()), FailedPreconditionError,
               "file: cannot read " + folder.path() + ": Is a directory.");
  EXPECT_ERROR(FileWriter(folder / "no/such"), NotFoundError, folder / "no/such");
  put(folder / "there", "1");
  EXPECT_ERROR(FileWriter(folder / "there", FileWriter::Existing::kRefuse), FailedPreconditionError,
               "File exists");
  FileReader short_file(folder / "there");
  char block[8];
  EXPECT_EQ(short_file.at_most(), 1u);
  EXPECT_ERROR(short_file.read_exactly(block, 8), DataLossError,
               folder / "there" + ": the file is cut short: 8 more bytes were expected, 1 are");
  EXPECT_EQ(short_file.at_most(), 0u);
  MemoryReader memory("abc", "memory");
  EXPECT_ERROR(memory.expect_end(), DataLossError, "memory: there are bytes after the end");
}

TEST(File, IsWrittenThroughABuffer) {
  const TemporaryFolder folder;
  const std::string path = folder / "a", bytes = version(9);
  std::string expected;
  FileWriter file(path);
  for (size_t count : {size_t{0}, size_t{1}, size_t{300}, bytes.size(), size_t{70'000}}) {
    file.write(bytes.data(), count);
    expected.append(bytes, 0, count);
  }
  EXPECT_LT(read_file(path).size(), expected.size());
  file.flush();
  EXPECT_EQ(read_file(path), expected);
  file.write("end");
  file.close();
  file.close();
  EXPECT_EQ(read_file(path), expected + "end");
  EXPECT_ERROR(file.write("more"), FailedPreconditionError, "is closed");
}

TEST(File, SaysThatTheDiskIsFull) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  FileWriter file("/dev/full");
  file.write("x");
  EXPECT_ERROR(file.flush(), ResourceExhaustedError,
               "file: cannot write /dev/full: No space left on device.");
}

TEST(AtomicFile, AppearsWhenCommitted) {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  put(path, "old");
  {
    AtomicFile file(path);
    file.write("new");
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(folder.count(), 2);
    file.commit();
    EXPECT_EQ(read_file(path), "new");
    EXPECT_ERROR(file.commit(), FailedPreconditionError, "committed already");
  }
  EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, IsDiscardedOtherwise) {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  put(path, "old");
  {
    AtomicFile(path).write(version(1));
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(folder.count(), 1);
  EXPECT_ERROR(AtomicFile("/nonexistent/a"), NotFoundError, "/nonexistent/a");
  {
    AtomicFile file(folder.path());  // a folder is in its place
    file.write("x");
    EXPECT_ERROR(file.commit(), FailedPreconditionError, "file: cannot replace " + folder.path());
  }
  EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, OfOneNameCanBeWrittenByMany) {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  std::vector<std::thread> writers;
  for (uint32_t i = 0; i < 4; ++i)
    writers.emplace_back([&, i] {
      AtomicFile file(path);
      file.write(version(i));
      file.commit();
    });
  for (std::thread& writer : writers) writer.join();
  const std::string bytes = read_file(path);
  uint32_t number = 9;
  std::memcpy(&number, bytes.data(), sizeof(number));
  EXPECT_LT(number, 4u);
  EXPECT_EQ(bytes, version(number));
  EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, IsNotDisturbedByWhatAKilledProcessLeft) {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  // In a container a new process may have the id of the old one, and starts to count at 0 as well.
  for (int i = 0; i < 1000; ++i) put(fmt::format("{}.tmp-{}-{}", path, getpid(), i), "left over");
  AtomicFile file(path);
  file.write("new");
  file.commit();
  EXPECT_EQ(read_file(path), "new");
}

TEST(AtomicFile, IsWholeWheneverItsWriterIsKilled) {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  std::mt19937 random(1);
  put(path, version(0));
  uint32_t number = 0, advances = 0;
  // On a busy machine a child may be killed before it gets anywhere; those do not count, and later
  // ones are given more time.
  for (int round = 0; round < 100 || (advances < 10 && round < 2000); ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_versions(path, number + 1);
    usleep(random() % (12'000 + 100 * round));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const std::string bytes = read_file(path);
    ASSERT_GE(bytes.size(), 4u);
    uint32_t found = 0;
    std::memcpy(&found, bytes.data(), sizeof(found));
    ASSERT_EQ(bytes, version(found)) << "round " << round;
    ASSERT_GE(found, number);
    advances += found > number;
    number = found;
  }
  EXPECT_GE(advances, 10u);  // or nothing was tested
}
