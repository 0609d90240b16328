#include "alula/io/npz.h"

#include <unordered_set>

#include "alula/io/npy.h"
#include "alula/io/zip.h"

namespace alula::io {
namespace {

constexpr const char* kWriter = "save_npz";
constexpr std::string_view kSuffix = ".npy";

Npz read(const ZipReader& zip, const std::string& file) {
  Npz arrays;
  std::unordered_set<std::string> names;
  for (const ZipMember& member : zip.members()) {
    if (!member.name.ends_with(kSuffix)) continue;
    std::string name = member.name.substr(0, member.name.size() - kSuffix.size());
    require<DataLossError>(names.insert(name).second, "{}: the array \"{}\" occurs twice.", file,
                           name);
    arrays.tensors.push_back({std::move(name), read_npy(*zip.open(member))});
  }
  return arrays;
}

}  // namespace

const Tensor& Npz::at(std::string_view name) const {
  for (const NamedTensor& named : tensors)
    if (named.name == name) return named.tensor;
  fail<NotFoundError>("npz: there is no array \"{}\" among the {}.", name, tensors.size());
}

Npz load_npz(const std::string& path) { return read(ZipReader::of_file(path), path); }

Npz parse_npz(std::string_view bytes, const std::string& name) {
  return read(ZipReader::of_bytes(bytes, name), name);
}

void save_npz(const std::string& path, const std::vector<NamedTensor>& tensors,
              const SaveNpzOptions& options) {
  std::unordered_set<std::string_view> names;
  for (const auto& [name, tensor] : tensors) {
    require(tensor.defined(), "{}: the tensor \"{}\" is not defined.", kWriter, name);
    require(names.insert(name).second, "{}: the name \"{}\" occurs twice.", kWriter, name);
  }
  ZipWriter zip(path, {.compressed = options.compressed});
  for (const auto& [name, tensor] : tensors) {
    const NpyParts parts = npy_parts(tensor);
    zip.add(name + std::string(kSuffix), {parts.head, parts.body()});
  }
  zip.commit();
}

}  // namespace alula::io
