#pragma once
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace alula {

/// The base of every exception that Alula throws. `kind()` is TensorFlow's name of the class.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  virtual const char* kind() const noexcept = 0;
};

/// An argument that an op cannot take: a shape, a dtype, a value.
class InvalidArgumentError final : public Error {
 public:
  using Error::Error;
  const char* kind() const noexcept override { return "InvalidArgumentError"; }
};

/// Something named that is not there: a file, a device, an op.
class NotFoundError final : public Error {
 public:
  using Error::Error;
  const char* kind() const noexcept override { return "NotFoundError"; }
};

/// An index or a size beyond what there is.
class OutOfRangeError final : public Error {
 public:
  using Error::Error;
  const char* kind() const noexcept override { return "OutOfRangeError"; }
};

/// A device's memory is used up.
class ResourceExhaustedError final : public Error {
 public:
  using Error::Error;
  const char* kind() const noexcept override { return "ResourceExhaustedError"; }
};

/// A state that does not allow the call.
class FailedPreconditionError final : public Error {
 public:
  using Error::Error;
  const char* kind() const noexcept override { return "FailedPreconditionError"; }
};

/// Something that makes sense, but that this device or version cannot do.
class UnimplementedError final : public Error {
 public:
  using Error::Error;
  const char* kind() const noexcept override { return "UnimplementedError"; }
};

/// Data that are damaged: a file cut short, a checksum that does not match.
class DataLossError final : public Error {
 public:
  using Error::Error;
  const char* kind() const noexcept override { return "DataLossError"; }
};

/// A fault in a user's own code that Alula called: an exception of another kind.
class UnknownError final : public Error {
 public:
  using Error::Error;
  const char* kind() const noexcept override { return "UnknownError"; }
};

/// A fault inside Alula or a library under it.
class InternalError final : public Error {
 public:
  using Error::Error;
  const char* kind() const noexcept override { return "InternalError"; }
};

/// Throws `E` with a formatted message.
template <class E = InvalidArgumentError, class... Args>
[[noreturn, gnu::cold, gnu::noinline]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw E(fmt::format(text, std::forward<Args>(args)...));
}

/// Throws `E` unless `condition` holds. The message names who complains, what is wrong, what it got
/// and, where it can, what to do.
template <class E = InvalidArgumentError, class... Args>
constexpr void require(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) [[unlikely]]
    fail<E>(text, std::forward<Args>(args)...);
}

}  // namespace alula
