#include "alula/io/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "alula/core/error.h"

namespace alula::io {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;
/// Linux transfers at most this much in one call.
constexpr size_t kLargestTransfer = size_t{1} << 30;

/// Throws what `errno` says of a file.
[[noreturn, gnu::cold]] void fail_with_errno(const char* what, const std::string& path) {
  const int code = errno;
  const std::string reason = std::generic_category().message(code);
  if (code == ENOENT || code == ENOTDIR)
    fail<NotFoundError>("file: cannot {} {}: {}.", what, path, reason);
  if (code == ENOSPC || code == EDQUOT || code == EFBIG || code == EMFILE || code == ENFILE)
    fail<ResourceExhaustedError>("file: cannot {} {}: {}.", what, path, reason);
  fail<FailedPreconditionError>("file: cannot {} {}: {}.", what, path, reason);
}

int open_or_fail(const char* what, const std::string& path, int flags) {
  int descriptor = -1;
  do descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) fail_with_errno(what, path);
  return descriptor;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// A name in the same folder that nobody else uses. A killed process of the same id may have left
/// its own: in a container, ids start again at 1.
std::string name_beside(const std::string& path) {
  static std::atomic<uint64_t> next = 0;
  std::string name;
  do name = fmt::format("{}.tmp-{}-{}", path, ::getpid(), next++);
  while (::access(name.c_str(), F_OK) == 0);
  return name;
}

/// Waits until a rename in the folder is on the disk. File systems that cannot say so are left
/// alone: the rename itself has happened.
void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

// ---- reading ---------------------------------------------------------------------------------

void ByteSource::read_exactly(void* to, size_t bytes) {
  const size_t count = read(to, bytes);
  require<DataLossError>(count == bytes,
                         "{}: the file is cut short: {} more bytes were expected, {} are there.",
                         name(), bytes, count);
}

void ByteSource::expect_end() {
  char extra;
  require<DataLossError>(read(&extra, 1) == 0, "{}: there are bytes after the end of the data.",
                         name());
}

uint64_t ByteSource::skip(uint64_t bytes) {
  char block[4096];
  uint64_t done = 0;
  while (done < bytes) {
    const size_t wanted = std::min<uint64_t>(bytes - done, sizeof(block));
    const size_t count = read(block, wanted);
    done += count;
    if (count < wanted) break;
  }
  return done;
}

FileReader::FileReader(const std::string& path)
    : ByteSource(path), descriptor_(open_or_fail("open", path, O_RDONLY)) {
  struct stat status;
  const bool known = ::fstat(descriptor_, &status) == 0;
  if (!known || S_ISDIR(status.st_mode)) {
    if (known) errno = EISDIR;
    const int code = errno;
    ::close(descriptor_);
    errno = code;
    fail_with_errno("read", path);
  }
  left_ = S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size)
                                  : std::numeric_limits<uint64_t>::max();
}

FileReader::~FileReader() { ::close(descriptor_); }

size_t FileReader::read(void* to, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t count = ::read(descriptor_, static_cast<char*>(to) + done,
                                 std::min(bytes - done, kLargestTransfer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_with_errno("read", name());
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  left_ -= std::min<uint64_t>(left_, done);
  return done;
}

uint64_t FileReader::skip(uint64_t bytes) {
  const bool has_size = left_ != std::numeric_limits<uint64_t>::max();
  // A file may have grown since its size was asked for: what is not known to be there is read.
  if (!has_size || bytes > left_) return ByteSource::skip(bytes);
  if (::lseek(descriptor_, static_cast<off_t>(bytes), SEEK_CUR) < 0)
    fail_with_errno("read", name());
  left_ -= bytes;
  return bytes;
}

size_t MemoryReader::read(void* to, size_t bytes) {
  const size_t count = std::min(bytes, left_.size());
  if (count > 0) std::memcpy(to, left_.data(), count);
  left_.remove_prefix(count);
  return count;
}

uint64_t MemoryReader::skip(uint64_t bytes) {
  const size_t count = std::min<uint64_t>(bytes, left_.size());
  left_.remove_prefix(count);
  return count;
}

std::string read_file(const std::string& path) {
  FileReader file(path);
  std::string bytes;
  if (file.at_most() != std::numeric_limits<uint64_t>::max()) {
    bytes.resize(file.at_most());
    bytes.resize(file.read(bytes.data(), bytes.size()));
  }
  // What has no size of its own, as a pipe, or has grown since.
  char block[4096];
  while (const size_t count = file.read(block, sizeof(block))) bytes.append(block, count);
  return bytes;
}

// ---- writing ---------------------------------------------------------------------------------

FileWriter::FileWriter(const std::string& path, Existing existing) : path_(path) {
  const int flags = existing == Existing::kReplace ? O_TRUNC : O_EXCL;
  descriptor_ = open_or_fail("create", path, O_WRONLY | O_CREAT | flags);
  buffer_.reserve(kBufferBytes);
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileWriter::write(const void* bytes, size_t count) {
  require<FailedPreconditionError>(descriptor_ >= 0, "file: {} is closed.", path_);
  if (buffer_.size() + count > kBufferBytes) flush();
  if (count >= kBufferBytes)
    write_through(static_cast<const char*>(bytes), count);
  else if (count > 0)
    buffer_.append(static_cast<const char*>(bytes), count);
}

void FileWriter::write_through(const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(descriptor_, bytes, std::min(count, kLargestTransfer));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with_errno("write", path_);
    bytes += written;
    count -= static_cast<size_t>(written);
  }
}

void FileWriter::flush() {
  if (descriptor_ < 0 || buffer_.empty()) return;
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void FileWriter::sync() {
  flush();
  if (descriptor_ >= 0 && ::fsync(descriptor_) != 0) fail_with_errno("write", path_);
}

void FileWriter::close() {
  if (descriptor_ < 0) return;
  flush();
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail_with_errno("write", path_);
}

AtomicFile::AtomicFile(const std::string& path)
    : path_(path), writer_(name_beside(path), FileWriter::Existing::kRefuse) {}

AtomicFile::~AtomicFile() {
  if (!committed_) ::unlink(writer_.path().c_str());
}

void AtomicFile::commit() {
  require<FailedPreconditionError>(!committed_, "file: {} is committed already.", path_);
  // On the disk before it is renamed, or a power cut could leave the name without the content.
  writer_.sync();
  writer_.close();
  if (::rename(writer_.path().c_str(), path_.c_str()) != 0) fail_with_errno("replace", path_);
  committed_ = true;
  sync_folder(folder_of(path_));
}

}  // namespace alula::io
