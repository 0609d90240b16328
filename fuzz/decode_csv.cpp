#include <cstring>

#include "alula/alula.h"
#include "fuzz/fuzz.h"

using namespace alula;

namespace {

bool same(const Tensor& a, const Tensor& b) {
  if (a.spec() != b.spec()) return false;
  if (a.dtype() == string) return a.to_vector<std::string>() == b.to_vector<std::string>();
  return std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) == 0;
}

/// Records stand between zero bytes.
std::vector<std::string> records_of(std::string_view bytes) {
  std::vector<std::string> records;
  for (;;) {
    const size_t end = bytes.find('\0');
    records.emplace_back(bytes.substr(0, end));
    if (end == std::string_view::npos) return records;
    bytes.remove_prefix(end + 1);
  }
}

/// The first byte says how the rest is meant.
void decode(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto how = static_cast<uint8_t>(bytes[0]);
  io::DecodeCsvOptions options{.field_delim = (how & 1) != 0 ? ';' : ',',
                               .use_quote_delim = (how & 2) == 0,
                               .na_value = (how & 4) != 0 ? "NA" : ""};
  if ((how & 8) != 0) options.select_cols = {0, 1, 2, 4, 5};
  const Tensor missing(std::vector<std::string>{});
  const std::vector<Tensor> defaults = {Tensor(1), Tensor(int64_t{2}), Tensor(0.5f), Tensor(0.25),
                                        (how & 16) != 0 ? missing : Tensor("none")};
  const std::vector<std::string> records = records_of(bytes.substr(1));
  const std::vector<Tensor> together = io::decode_csv(Tensor(records), defaults, options);
  fuzz::check(together.size() == defaults.size());
  // A record is the same alone.
  for (size_t i = 0; i < records.size(); ++i) {
    const std::vector<Tensor> alone = io::decode_csv(Tensor(records[i]), defaults, options);
    for (size_t k = 0; k < alone.size(); ++k) {
      const auto row = static_cast<int64_t>(i);
      fuzz::check(same(alone[k], together[k].rows(row, row + 1).reshaped({})));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::parse(data, size, decode);
}
