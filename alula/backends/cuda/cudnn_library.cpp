#include "alula/backends/cuda/cudnn_library.h"

#include <algorithm>
#include <dlfcn.h>

#include "alula/core/error.h"
#include "alula/core/log.h"

namespace alula::cuda {
namespace {

constexpr const char* kLibrary = "libcudnn.so.9";
static_assert(CUDNN_MAJOR == 9, "the name of the library goes with the header");

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// Why it cannot be used; empty if it can.
std::string load(Cudnn& cudnn) {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return dlerror();
  const bool complete = find(library, "cudnnGetVersion", cudnn.version) &&
                        find(library, "cudnnGetErrorString", cudnn.status_text) &&
                        find(library, "cudnnGetLastErrorString", cudnn.last_error) &&
                        find(library, "cudnnCreate", cudnn.create) &&
                        find(library, "cudnnSetStream", cudnn.set_stream) &&
                        find(library, "cudnnBackendCreateDescriptor", cudnn.create_descriptor) &&
                        find(library, "cudnnBackendDestroyDescriptor", cudnn.destroy_descriptor) &&
                        find(library, "cudnnBackendFinalize", cudnn.finalize) &&
                        find(library, "cudnnBackendSetAttribute", cudnn.set_attribute) &&
                        find(library, "cudnnBackendGetAttribute", cudnn.get_attribute) &&
                        find(library, "cudnnBackendExecute", cudnn.execute);
  if (!complete) return fmt::format("{} lacks a function ({})", kLibrary, dlerror());
  const size_t version = cudnn.version();
  if (version / 10000 != CUDNN_MAJOR)
    return fmt::format("{} is of version {}, not of {}", kLibrary, version, CUDNN_MAJOR);
  logging::info("GPU: cuDNN {}.{}.{}.", version / 10000, version / 100 % 100, version % 100);
  return "";
}

}  // namespace

const Cudnn* find_cudnn() {
  static const std::unique_ptr<const Cudnn> found = []() -> std::unique_ptr<const Cudnn> {
    Cudnn cudnn{};
    const std::string problem = load(cudnn);
    if (problem.empty()) return std::make_unique<const Cudnn>(cudnn);
    logging::warn("GPU: large convolutions run without cuDNN, and so without tensor cores: {}.",
                  problem);
    return nullptr;
  }();
  return found.get();
}

void check(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) [[likely]]
    return;
  char text[512] = "";
  find_cudnn()->last_error(text, sizeof(text));
  const bool memory = status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
  require<ResourceExhaustedError>(!memory, "GPU: {} failed: the GPU's memory is used up.", call);
  fail<InternalError>("GPU: {} failed: {} ({}).", call, find_cudnn()->status_text(status), text);
}

void CudnnDescriptor::Destroy::operator()(cudnnBackendDescriptor_t descriptor) const {
  find_cudnn()->destroy_descriptor(descriptor);
}

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t made = nullptr;
  check(find_cudnn()->create_descriptor(type, &made), "cudnnBackendCreateDescriptor");
  descriptor_.reset(made);
}

CudnnDescriptor& CudnnDescriptor::finish() {
  check(find_cudnn()->finalize(get()), "cudnnBackendFinalize");
  return *this;
}

bool CudnnDescriptor::try_finish() noexcept {
  return find_cudnn()->finalize(get()) == CUDNN_STATUS_SUCCESS;
}

void CudnnDescriptor::set_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                              size_t count, const void* values) {
  check(find_cudnn()->set_attribute(get(), name, type, static_cast<int64_t>(count), values),
        "cudnnBackendSetAttribute");
}

int64_t CudnnDescriptor::get_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                 int64_t most, void* values) const {
  int64_t count = 0;
  check(find_cudnn()->get_attribute(get(), name, type, most, &count, values),
        "cudnnBackendGetAttribute");
  return std::min(count, most);
}

std::vector<CudnnDescriptor> CudnnDescriptor::descriptors(cudnnBackendAttributeName_t name,
                                                          cudnnBackendDescriptorType_t type,
                                                          int64_t most) const {
  std::vector<CudnnDescriptor> made;
  std::vector<cudnnBackendDescriptor_t> filled;  // cuDNN fills in what it is given
  for (int64_t i = 0; i < most; ++i) filled.push_back(made.emplace_back(type).get());
  const int64_t count = get_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, filled.data());
  made.erase(made.begin() + count, made.end());
  return made;
}

CudnnArguments::CudnnArguments(std::span<const int64_t> ids, std::span<void* const> data,
                               void* workspace)
    : pack_(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) {
  pack_.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
  pack_.set_raw(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, data.size(),
                data.data());
  pack_.set_raw(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  pack_.finish();
}

}  // namespace alula::cuda
