#pragma once
#include <memory>
#include <string>

#include "alula/data/stage.h"

/// Where `cache` keeps elements.
namespace alula::data {

/// Reads what a whole walk has left.
class CacheReader {
 public:
  virtual ~CacheReader() = default;
  /// What that walk drew random numbers by, and the state of the input at its beginning: what the
  /// elements can be made of again.
  virtual const std::string& source() const = 0;
  virtual bool next(Row& row) = 0;
  virtual int64_t next_block(int64_t count, Row& block) = 0;
  virtual int64_t skip(int64_t count) = 0;
};

/// Takes the elements of a walk. Nobody sees them unless the walk is finished.
class CacheWriter {
 public:
  enum class Existing { kKeep, kReplace };
  virtual ~CacheWriter() = default;
  virtual void add(const Row& row) = 0;
  virtual void add_block(const Row& block, int64_t count) = 0;
  /// `existing`: what becomes of what another walk has finished before.
  virtual void finish(Existing existing) = 0;
};

/// Any number of walks may read and write at the same time.
class CacheStore {
 public:
  virtual ~CacheStore() = default;
  /// None if no walk has been finished.
  virtual std::unique_ptr<CacheReader> open(const Stage& who) = 0;
  virtual std::unique_ptr<CacheWriter> begin(const Stage& who, std::string source) = 0;
  /// Another store of the same kind for the positions of elements, the same each time; null if
  /// there can be none, because elements are kept already, or for other programs to read.
  virtual std::shared_ptr<CacheStore> for_positions() { return nullptr; }
  /// "in memory: 100 elements"
  virtual std::string description() const = 0;
};

std::shared_ptr<CacheStore> cache_in_memory();
std::shared_ptr<CacheStore> cache_in_file(const std::string& path);

}  // namespace alula::data
