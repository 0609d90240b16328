#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace alula {

/// A vector whose first N elements need no heap: for the short lists that an op's call is made of.
template <class T, size_t N>
class InlineVector {
 public:
  static_assert(N > 0);

  InlineVector() = default;
  InlineVector(std::initializer_list<T> values) : InlineVector(values.begin(), values.end()) {}
  // Once the delegated constructor is done there is an object: if a copy throws, its destructor
  // ends the copies before.
  template <std::input_iterator Iterator>
  InlineVector(Iterator first, Iterator last) : InlineVector() {
    for (; first != last; ++first) emplace_back(*first);
  }
  InlineVector(const InlineVector& other) : InlineVector(other.begin(), other.end()) {}
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(InlineVector other) noexcept {
    destroy();
    take(other);
    return *this;
  }
  ~InlineVector() { destroy(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  operator std::span<const T>() const { return {data_, size_}; }

  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) return grow_by(std::forward<Args>(args)...);
    T* added = std::construct_at(data_ + size_, std::forward<Args>(args)...);
    ++size_;
    return *added;
  }
  void push_back(T value) { emplace_back(std::move(value)); }
  void clear() {
    std::destroy_n(data_, size_);
    size_ = 0;
  }
  bool operator==(const InlineVector& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  T* room() { return std::launder(reinterpret_cast<T*>(room_)); }

  /// Adds an element that there is no room for. It is made before the others move, since it may be
  /// made from one of them.
  template <class... Args>
  T& grow_by(Args&&... args) {
    static_assert(std::is_nothrow_move_constructible_v<T>);
    T* larger = std::allocator<T>().allocate(2 * capacity_);
    try {
      std::construct_at(larger + size_, std::forward<Args>(args)...);
    } catch (...) {
      std::allocator<T>().deallocate(larger, 2 * capacity_);
      throw;
    }
    std::uninitialized_move_n(data_, size_, larger);
    destroy();
    data_ = larger;
    capacity_ *= 2;
    return data_[size_++];
  }

  void destroy() {
    std::destroy_n(data_, size_);
    if (data_ != room()) std::allocator<T>().deallocate(data_, capacity_);
  }

  /// Moves `other`'s elements here, as if this were new.
  void take(InlineVector& other) {
    data_ = room();
    capacity_ = N;
    size_ = other.size_;
    if (other.data_ != other.room()) {
      data_ = std::exchange(other.data_, other.room());
      capacity_ = std::exchange(other.capacity_, N);
    } else {
      std::uninitialized_move_n(other.data_, size_, data_);
      std::destroy_n(other.data_, size_);
    }
    other.size_ = 0;
  }

  alignas(T) std::byte room_[N * sizeof(T)];
  T* data_ = room();
  size_t size_ = 0;
  size_t capacity_ = N;
};

}  // namespace alula
