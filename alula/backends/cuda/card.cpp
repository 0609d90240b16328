#include "alula/backends/cuda/card.h"

#include <algorithm>

#include "alula/backends/cuda/chain.h"

namespace alula::cuda {
namespace {

thread_local Card* t_card = nullptr;

}  // namespace

std::string KernelSource::text() const {
  std::string text;
  if (chained) text = fmt::format("#define ALULA_CHAINED\n#define CHAIN_ROOM {}\n", kChainRoom);
  text += device_source("prelude");
  std::string_view rest = files;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    text += device_source(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text + own;
}

LoadedKernel Card::find(const KernelSource& source) {
  std::string key;
  key.reserve(source.files.size() + source.function.size() + source.own.size() + 2);
  key.append(source.files).append("\n").append(source.function).append("\n").append(source.own);
  const std::lock_guard lock(mutex_);
  auto& kernel = loaded_[std::move(key)];
  if (kernel == nullptr) kernel = std::make_unique<const Kernel>(load(source));
  return kernel.get();
}

void Card::launch(LoadedKernel kernel, const Grid& grid, void** arguments, void* queue) {
  if (Chain* chain = Chain::current(*this)) {
    if (chain->add(*kernel, grid, arguments, queue)) return;
    chain->finish(queue);
  }
  put_kernel(*kernel, grid, arguments, queue);
}

void Card::clear(void* at, size_t bytes, void* queue) {
  if (Chain* chain = Chain::current(*this)) chain->finish(queue);
  put_clear(at, bytes, queue);
}

void Card::copy(void* to, const void* from, size_t bytes, void* queue) {
  if (Chain* chain = Chain::current(*this)) chain->finish(queue);
  put_copy(to, from, bytes, queue);
}

Card& current_card() {
  require<InternalError>(t_card != nullptr, "GPU: a kernel was called outside of its backend.");
  return *t_card;
}

CurrentCard::CurrentCard(Card& card) : before_(t_card) { t_card = &card; }
CurrentCard::~CurrentCard() { t_card = before_; }

Scratch::Scratch(size_t bytes)
    : card_(current_card()),
      bytes_(bytes),
      block_(bytes == 0 ? nullptr : card_.take_scratch(bytes)) {
  if (block_ == nullptr) return;
  if (Chain* chain = Chain::current(card_)) chain->writes(block_, bytes);
}

Scratch::~Scratch() {
  if (block_ != nullptr) card_.release_scratch(block_, bytes_);
}

Grid grid_for(int64_t threads) {
  constexpr int64_t kBlocksEach = 32;
  const int64_t most = kBlocksEach * current_card().multiprocessors();
  const int64_t blocks = std::min(most, (threads + kBlockThreads - 1) / kBlockThreads);
  return {.blocks = {static_cast<unsigned>(std::max<int64_t>(blocks, 1)), 1, 1},
          .threads = {kBlockThreads, 1, 1}};
}

std::string_view type_name(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return "Half";
    case DType::kBFloat16: return "BFloat16";
    case DType::kFloat32: return "float";
    case DType::kFloat64: return "double";
    case DType::kInt8: return "signed char";
    case DType::kInt16: return "short";
    case DType::kInt32: return "int";
    case DType::kInt64: return "long long";
    case DType::kUInt8: return "unsigned char";
    case DType::kUInt16: return "unsigned short";
    case DType::kUInt32: return "unsigned int";
    case DType::kUInt64: return "unsigned long long";
    case DType::kBool: return "bool";
    case DType::kString: break;
  }
  fail<InternalError>("GPU: strings stay on the CPU.");
}

std::string_view bits_name(DType dtype) {
  switch (size_of(dtype)) {
    case 1: return "unsigned char";
    case 2: return "unsigned short";
    case 4: return "unsigned int";
    default: return "unsigned long long";
  }
}

}  // namespace alula::cuda
