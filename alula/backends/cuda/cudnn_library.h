#pragma once
#include <cudnn_graph.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// cuDNN's graph interface, as far as it is used here. The library is loaded when it is first asked
/// for, so that the plugin works where there is none.
namespace alula::cuda {

/// The functions of the library.
struct Cudnn {
  decltype(&cudnnGetVersion) version;
  decltype(&cudnnGetErrorString) status_text;
  decltype(&cudnnGetLastErrorString) last_error;
  decltype(&cudnnCreate) create;
  decltype(&cudnnSetStream) set_stream;
  decltype(&cudnnBackendCreateDescriptor) create_descriptor;
  decltype(&cudnnBackendDestroyDescriptor) destroy_descriptor;
  decltype(&cudnnBackendFinalize) finalize;
  decltype(&cudnnBackendSetAttribute) set_attribute;
  decltype(&cudnnBackendGetAttribute) get_attribute;
  decltype(&cudnnBackendExecute) execute;
};

/// The library, or null if it is missing or of another major version than the plugin was built
/// for: a warning says so, once.
const Cudnn* find_cudnn();

/// A status that is no success as an InternalError with what cuDNN says of it. Only where
/// `find_cudnn` found it.
void check(cudnnStatus_t status, const char* call);

/// A descriptor, destroyed with its owner. Attributes are set, then it is finished; from then on it
/// can be read and be an attribute of others.
class CudnnDescriptor {
 public:
  explicit CudnnDescriptor(cudnnBackendDescriptorType_t type);

  template <class T>
  CudnnDescriptor& set(cudnnBackendAttributeName_t name, std::span<const T> values) {
    set_raw(name, type_of(T()), values.size(), values.data());
    return *this;
  }
  template <class T>
  CudnnDescriptor& set(cudnnBackendAttributeName_t name, const T& value) {
    return set(name, std::span<const T>(&value, 1));
  }
  CudnnDescriptor& set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value) {
    return set(name, value.get());
  }
  CudnnDescriptor& finish();
  /// The same without an exception: not every engine can do all that the heuristics hope.
  bool try_finish() noexcept;

  /// The first `most` values of an attribute.
  template <class T>
  std::vector<T> list(cudnnBackendAttributeName_t name, int64_t most) const {
    std::vector<T> values(static_cast<size_t>(most));
    values.resize(static_cast<size_t>(get_raw(name, type_of(T()), most, values.data())));
    return values;
  }
  template <class T>
  T value(cudnnBackendAttributeName_t name) const {
    T value{};
    get_raw(name, type_of(T()), 1, &value);
    return value;
  }
  /// Attributes that are descriptors themselves: of a list, the first `most`.
  std::vector<CudnnDescriptor> descriptors(cudnnBackendAttributeName_t name,
                                           cudnnBackendDescriptorType_t type, int64_t most) const;

  cudnnBackendDescriptor_t get() const { return descriptor_.get(); }

 private:
  struct Destroy {
    void operator()(cudnnBackendDescriptor_t descriptor) const;
  };

  static cudnnBackendAttributeType_t type_of(int64_t) { return CUDNN_TYPE_INT64; }
  static cudnnBackendAttributeType_t type_of(float) { return CUDNN_TYPE_FLOAT; }
  static cudnnBackendAttributeType_t type_of(char) { return CUDNN_TYPE_CHAR; }
  static cudnnBackendAttributeType_t type_of(cudnnHandle_t) { return CUDNN_TYPE_HANDLE; }
  static cudnnBackendAttributeType_t type_of(cudnnDataType_t) { return CUDNN_TYPE_DATA_TYPE; }
  static cudnnBackendAttributeType_t type_of(cudnnConvolutionMode_t) {
    return CUDNN_TYPE_CONVOLUTION_MODE;
  }
  static cudnnBackendAttributeType_t type_of(cudnnBackendHeurMode_t) {
    return CUDNN_TYPE_HEUR_MODE;
  }
  static cudnnBackendAttributeType_t type_of(cudnnBackendNumericalNote_t) {
    return CUDNN_TYPE_NUMERICAL_NOTE;
  }
  /// Descriptors and the addresses of data are both void*.
  static cudnnBackendAttributeType_t type_of(void*) { return CUDNN_TYPE_BACKEND_DESCRIPTOR; }

  void set_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, size_t count,
               const void* values);
  int64_t get_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t most,
                  void* values) const;

  friend class CudnnArguments;
  std::unique_ptr<void, Destroy> descriptor_;
};

/// What a plan runs with: the tensors by the numbers that the graph gave them, and a workspace.
class CudnnArguments {
 public:
  CudnnArguments(std::span<const int64_t> ids, std::span<void* const> data, void* workspace);
  cudnnBackendDescriptor_t get() const { return pack_.get(); }

 private:
  CudnnDescriptor pack_;
};

}  // namespace alula::cuda
