#include <zlib.h>

#include "alula/core/error.h"
#include "alula/io/deflate.h"
#include "alula/io/zip.h"
#include "alula/io/zip_format.h"

namespace alula::io {
namespace {

using zip::append;

// Midnight of the first day that a zip file can name: the same input gives the same file.
constexpr uint16_t kTime = 0, kDate = (1 << 5) | 1;
// The versions of the format that a reader must know: 2.0, and 4.5 for large sizes.
constexpr uint16_t kVersion = 20, kLargeVersion = 45;
constexpr uint16_t kUnix = 3 << 8;  // where the file was made
constexpr uint32_t kReadable = 0600u << 16;
constexpr uint16_t kUtf8Names = 1 << 11;

bool is_large(uint64_t value) { return value >= zip::kIsLarge; }
uint32_t short_form(uint64_t value) {
  return is_large(value) ? zip::kIsLarge : static_cast<uint32_t>(value);
}

/// The extra field with those of the sizes that do not fit.
std::string large_sizes(std::initializer_list<uint64_t> values, bool all) {
  std::string sizes, field;
  for (uint64_t value : values)
    if (all || is_large(value)) append(sizes, value);
  if (sizes.empty()) return field;
  append(field, zip::kLargeExtra);
  append(field, static_cast<uint16_t>(sizes.size()));
  return field + sizes;
}

/// What a member's own header and the list of members have in common, up to the lengths.
void append_description(std::string& header, const ZipMember& member, bool large) {
  append(header, large ? kLargeVersion : kVersion);
  append(header, kUtf8Names);
  append(header, member.method);
  append(header, kTime);
  append(header, kDate);
  append(header, member.crc);
}

std::string local_header(const ZipMember& member) {
  const bool large = is_large(member.bytes) || is_large(member.packed_bytes);
  const std::string extra = large ? large_sizes({member.bytes, member.packed_bytes}, true) : "";
  std::string header;
  append(header, zip::kLocalHeader);
  append_description(header, member, large);
  append(header, large ? zip::kIsLarge : static_cast<uint32_t>(member.packed_bytes));
  append(header, large ? zip::kIsLarge : static_cast<uint32_t>(member.bytes));
  append(header, static_cast<uint16_t>(member.name.size()));
  append(header, static_cast<uint16_t>(extra.size()));
  return header + member.name + extra;
}

std::string directory_entry(const ZipMember& member) {
  const std::string extra =
      large_sizes({member.bytes, member.packed_bytes, member.position}, false);
  std::string entry;
  append(entry, zip::kDirectoryEntry);
  append(entry, static_cast<uint16_t>(kUnix | kLargeVersion));
  append_description(entry, member, !extra.empty());
  append(entry, short_form(member.packed_bytes));
  append(entry, short_form(member.bytes));
  append(entry, static_cast<uint16_t>(member.name.size()));
  append(entry, static_cast<uint16_t>(extra.size()));
  append(entry, uint16_t{0});  // comment
  append(entry, uint16_t{0});  // disk
  append(entry, uint16_t{0});  // internal attributes
  append(entry, kReadable);
  append(entry, short_form(member.position));
  return entry + member.name + extra;
}

std::string end_of_directory(uint64_t count, uint64_t begin, uint64_t end) {
  const bool large = count >= zip::kIsMany || is_large(begin) || is_large(end - begin);
  std::string text;
  if (large) {
    append(text, zip::kLargeEnd);
    append(text, uint64_t{zip::kLargeEndBytes - 12});
    append(text, static_cast<uint16_t>(kUnix | kLargeVersion));
    append(text, kLargeVersion);
    append(text, uint64_t{0});  // disks
    append(text, count);
    append(text, count);
    append(text, end - begin);
    append(text, begin);
    append(text, zip::kLargeLocator);
    append(text, uint32_t{0});
    append(text, end);
    append(text, uint32_t{1});
  }
  const auto short_count = count >= zip::kIsMany ? zip::kIsMany : static_cast<uint16_t>(count);
  append(text, zip::kEnd);
  append(text, uint32_t{0});  // disks
  append(text, short_count);
  append(text, short_count);
  append(text, short_form(end - begin));
  append(text, short_form(begin));
  append(text, uint16_t{0});  // comment
  return text;
}

}  // namespace

void ZipWriter::write(std::string_view bytes) {
  file_.write(bytes);
  position_ += bytes.size();
}

void ZipWriter::add(const std::string& name, const std::vector<std::string_view>& parts) {
  require(!name.empty() && name.size() < 0xffff,
          "zip: the name of a member must have 1 to 65534 bytes. Got {}.", name.size());
  ZipMember member{name, options_.compressed ? zip::kDeflated : zip::kStored};
  member.position = position_;
  uLong crc = 0;
  for (std::string_view part : parts) {
    if (part.empty()) continue;
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
    member.bytes += part.size();
  }
  member.crc = static_cast<uint32_t>(crc);
  if (options_.compressed) {
    std::string packed;
    Deflater deflater({.format = DeflateFormat::kRaw});
    for (std::string_view part : parts) deflater.write(part, packed);
    deflater.finish(packed);
    member.packed_bytes = packed.size();
    write(local_header(member));
    write(packed);
  } else {
    member.packed_bytes = member.bytes;
    write(local_header(member));
    for (std::string_view part : parts) write(part);
  }
  members_.push_back(std::move(member));
}

void ZipWriter::commit() {
  const uint64_t begin = position_;
  for (const ZipMember& member : members_) write(directory_entry(member));
  write(end_of_directory(members_.size(), begin, position_));
  file_.commit();
}

}  // namespace alula::io
