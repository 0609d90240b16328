#include <algorithm>
#include <limits>
#include <zlib.h>

#include "alula/core/error.h"
#include "alula/io/gzip.h"
#include "alula/io/zip.h"
#include "alula/io/zip_format.h"

// The list of members stands at the end of a zip file, and says where the header and the data of
// each are. The end itself is found by its first bytes: a comment of up to 64 KiB may follow it.
namespace alula::io {
namespace {

using zip::number_at;

constexpr uint64_t kLongestComment = 0xffff;

/// The first bytes of another source.
class LimitedReader final : public ByteSource {
 public:
  LimitedReader(std::unique_ptr<ByteSource> source, uint64_t limit, std::string name)
      : ByteSource(std::move(name)), source_(std::move(source)), left_(limit) {}
  size_t read(void* to, size_t bytes) override {
    const size_t count = source_->read(to, std::min<uint64_t>(bytes, left_));
    left_ -= count;
    return count;
  }
  uint64_t at_most() const override { return std::min(left_, source_->at_most()); }

 private:
  std::unique_ptr<ByteSource> source_;
  uint64_t left_;
};

/// Another source, held against the size and the checksum that it should have.
class CheckedReader final : public ByteSource {
 public:
  CheckedReader(std::unique_ptr<ByteSource> source, const ZipMember& member)
      : ByteSource(source->name()),
        source_(std::move(source)),
        left_(member.bytes),
        expected_(member.crc) {}

  size_t read(void* to, size_t bytes) override {
    const size_t count = source_->read(to, bytes);
    require<DataLossError>(count <= left_ && (count == bytes || count == left_),
                           "{}: it has {} bytes than the zip file says.", name(),
                           count > left_ ? "more" : "fewer");
    left_ -= count;
    // (Zlib begins anew when it is given no address.)
    if (count > 0) crc_ = crc32_z(crc_, static_cast<const Bytef*>(to), count);
    require<DataLossError>(count == bytes || crc_ == expected_,
                           "{}: it is damaged: its checksum is {:08x}, not {:08x}.", name(), crc_,
                           expected_);
    return count;
  }
  uint64_t at_most() const override { return std::min(left_, source_->at_most()); }

 private:
  std::unique_ptr<ByteSource> source_;
  uint64_t left_;
  uint32_t expected_;
  uLong crc_ = 0;
};

/// Puts the sizes that do not fit into 32 bits in their place. False if they are missing.
bool read_large_sizes(std::string_view extra, ZipMember& member) {
  const bool wanted = member.bytes == zip::kIsLarge || member.packed_bytes == zip::kIsLarge ||
                      member.position == zip::kIsLarge;
  while (wanted && extra.size() >= 4) {
    const auto id = number_at<uint16_t>(extra, 0);
    const auto size = number_at<uint16_t>(extra, 2);
    if (size > extra.size() - 4) return false;
    std::string_view field = extra.substr(4, size);
    extra.remove_prefix(size_t{4} + size);
    if (id != zip::kLargeExtra) continue;
    for (uint64_t* value : {&member.bytes, &member.packed_bytes, &member.position}) {
      if (*value != zip::kIsLarge) continue;
      if (field.size() < 8) return false;
      *value = number_at<uint64_t>(field, 0);
      field.remove_prefix(8);
    }
    return true;
  }
  return !wanted;
}

}  // namespace

ZipReader ZipReader::of_file(const std::string& path) {
  const uint64_t size = FileReader(path).at_most();
  require<FailedPreconditionError>(size != std::numeric_limits<uint64_t>::max(),
                                   "{}: a zip file must be a regular file.", path);
  return {path, size, [path](uint64_t position) {
            auto file = std::make_unique<FileReader>(path);
            file->skip(position);
            return file;
          }};
}

ZipReader ZipReader::of_bytes(std::string_view bytes, const std::string& name) {
  return {name, bytes.size(), [bytes, name](uint64_t position) {
            return std::make_unique<MemoryReader>(bytes.substr(position), name);
          }};
}

ZipReader::ZipReader(std::string name, uint64_t size, OpenAt open_at)
    : name_(std::move(name)), size_(size), open_at_(std::move(open_at)) {
  read_directory(find_directory());
}

void ZipReader::fail_damaged(const char* what) const {
  fail<DataLossError>("{}: the zip file is damaged: {}.", name_, what);
}

std::string ZipReader::read_at(uint64_t position, uint64_t bytes) const {
  if (position > size_ || bytes > size_ - position) fail_damaged("it is cut short");
  std::string found(bytes, '\0');
  open_at_(position)->read_exactly(found.data(), found.size());
  return found;
}

ZipReader::Directory ZipReader::find_directory() const {
  const uint64_t searched = std::min(size_, kLongestComment + zip::kEndBytes);
  const std::string tail = read_at(size_ - searched, searched);
  for (size_t at = tail.size(); at-- > 0;) {
    if (tail.size() - at < zip::kEndBytes || number_at<uint32_t>(tail, at) != zip::kEnd) continue;
    const auto comment = number_at<uint16_t>(tail, at + 20);
    if (comment != tail.size() - at - zip::kEndBytes) continue;
    const Directory found{number_at<uint32_t>(tail, at + 16), number_at<uint32_t>(tail, at + 12),
                          number_at<uint16_t>(tail, at + 10)};
    if (found.position == zip::kIsLarge || found.bytes == zip::kIsLarge ||
        found.count == zip::kIsMany)
      return find_large_directory(size_ - searched + at);
    return found;
  }
  fail<DataLossError>("{}: this is not a zip file, or it is cut short: its end is missing.", name_);
}

ZipReader::Directory ZipReader::find_large_directory(uint64_t end) const {
  if (end < zip::kLargeLocatorBytes) fail_damaged("its sizes are missing");
  const std::string locator = read_at(end - zip::kLargeLocatorBytes, zip::kLargeLocatorBytes);
  if (number_at<uint32_t>(locator, 0) != zip::kLargeLocator) fail_damaged("its sizes are missing");
  const std::string record = read_at(number_at<uint64_t>(locator, 8), zip::kLargeEndBytes);
  if (number_at<uint32_t>(record, 0) != zip::kLargeEnd) fail_damaged("its sizes are missing");
  return {number_at<uint64_t>(record, 48), number_at<uint64_t>(record, 40),
          number_at<uint64_t>(record, 32)};
}

void ZipReader::read_directory(const Directory& directory) {
  const std::string entries = read_at(directory.position, directory.bytes);
  std::string_view left = entries;
  uint64_t packed = 0;
  while (!left.empty()) {
    if (left.size() < zip::kDirectoryEntryBytes ||
        number_at<uint32_t>(left, 0) != zip::kDirectoryEntry)
      fail_damaged("its list of members is");
    const size_t name = number_at<uint16_t>(left, 28), extra = number_at<uint16_t>(left, 30),
                 comment = number_at<uint16_t>(left, 32);
    const size_t whole = zip::kDirectoryEntryBytes + name + extra + comment;
    if (whole > left.size()) fail_damaged("its list of members is cut short");
    ZipMember member{std::string(left.substr(zip::kDirectoryEntryBytes, name)),
                     number_at<uint16_t>(left, 10),
                     number_at<uint32_t>(left, 16),
                     number_at<uint32_t>(left, 20),
                     number_at<uint32_t>(left, 24),
                     number_at<uint32_t>(left, 42)};
    if (!read_large_sizes(left.substr(zip::kDirectoryEntryBytes + name, extra), member))
      fail_damaged("the sizes of a member are missing");
    require<UnimplementedError>((number_at<uint16_t>(left, 8) & zip::kEncrypted) == 0,
                                "{}: {} is encrypted, which is not supported.", name_, member.name);
    // Members that share bytes could make far more of a file than there is in it.
    if (member.packed_bytes > size_ || packed > size_ - member.packed_bytes)
      fail_damaged("its members overlap or are cut short");
    packed += member.packed_bytes;
    members_.push_back(std::move(member));
    left.remove_prefix(whole);
  }
  if (members_.size() != directory.count) fail_damaged("members are missing");
}

std::unique_ptr<ByteSource> ZipReader::open(const ZipMember& member) const {
  require<UnimplementedError>(member.method == zip::kStored || member.method == zip::kDeflated,
                              "{}: {} is compressed by method {}; only stored and deflated members "
                              "are supported.",
                              name_, member.name, member.method);
  const std::string header = read_at(member.position, zip::kLocalHeaderBytes);
  if (number_at<uint32_t>(header, 0) != zip::kLocalHeader) fail_damaged("a member has no header");
  const uint64_t begin = member.position + zip::kLocalHeaderBytes +
                         number_at<uint16_t>(header, 26) + number_at<uint16_t>(header, 28);
  if (begin > size_ || member.packed_bytes > size_ - begin) fail_damaged("a member is cut short");
  std::unique_ptr<ByteSource> bytes = std::make_unique<LimitedReader>(
      open_at_(begin), member.packed_bytes, fmt::format("{}: {}", name_, member.name));
  if (member.method == zip::kDeflated)
    bytes = std::make_unique<GzipReader>(std::move(bytes), DeflateFormat::kRaw);
  return std::make_unique<CheckedReader>(std::move(bytes), member);
}

}  // namespace alula::io
