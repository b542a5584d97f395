#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/partial_file.h"
#include "core/isolation/reader_process.h"

/// As much of HDF5 as files of bodies need. libhdf5 is not safe with damaged files: they are read in a process of their own
/// (ReaderProcess). It is written with in this one, and as it is not made for several threads, all calls wait for each other.
namespace isolume::nbody {

using Shape = std::vector<std::uint64_t>;

/// A file that is read and not trusted. Every function throws InputError that names the file and the dataset.
class Hdf5Reader {
 public:
  /// `stop`: every call throws Cancelled when it is asked to.
  explicit Hdf5Reader(const std::filesystem::path& path, std::stop_token stop = {});

  const std::filesystem::path& path() const { return path_; }
  const std::stop_token& stop_token() const { return stop_; }
  /// A group or dataset, "PartType1/Coordinates".
  bool has(const std::string& name) const;
  /// Of a dataset of numbers that the file really holds: as large as the file makes possible, in the file
  /// itself.
  Shape shape(const std::string& dataset) const;
  /// A dataset of so many rows of so many numbers, or its rows from `first_row` on as far as `rows` are given.
  std::vector<double> numbers(const std::string& dataset, const Shape& shape) const;
  std::vector<double> row(const std::string& dataset, std::uint64_t row, const Shape& shape) const;
  std::vector<std::uint64_t> integers(const std::string& dataset, std::uint64_t count) const;
  /// Of a group ("/" is the file); nothing where there is none or it is not of numbers (of text).
  std::optional<std::vector<double>> attribute(const std::string& group, const std::string& name) const;
  std::optional<std::string> text_attribute(const std::string& group, const std::string& name) const;

  [[noreturn]] void fail(const std::string& problem) const;

 private:
  nlohmann::json ask(const nlohmann::json& request, std::span<std::byte> numbers = {}) const;
  template <class Value>
  std::vector<Value> read(const nlohmann::json& request, std::uint64_t count) const;

  std::filesystem::path path_;
  std::stop_token stop_;
  mutable isolation::ReaderProcess process_;
};

enum class Hdf5Numbers { doubles, counts, bytes };

/// A file that appears whole when finish() has returned, or not at all; or a PartialFile, which is complete up to the last
/// flush() whenever the program ends. Every function throws Error that names the file and why the system did not write it.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::filesystem::path& path);
  Hdf5Writer(const std::filesystem::path& path, PartialFile::Start start);
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void add_group(const std::string& name);
  void set_attribute(const std::string& group, const std::string& name, std::span<const double> values);
  void set_attribute(const std::string& group, const std::string& name,
                     std::span<const std::uint32_t> values);
  void set_attribute(const std::string& group, const std::string& name, const std::string& text);
  /// Of a group or dataset.
  void set_attribute(const std::string& of, const std::string& name, double value) {
    set_attribute(of, name, std::span(&value, 1));
  }
  void replace_attribute(const std::string& of, const std::string& name, double value);
  void add(const std::string& dataset, std::span<const double> values, const Shape& shape);
  void add(const std::string& dataset, std::span<const float> values, const Shape& shape);
  void add(const std::string& dataset, std::span<const std::uint64_t> values);
  void add(const std::string& dataset, std::span<const std::uint8_t> values);
  /// Of doubles, of 64-bit or of 8-bit numbers, which come in parts, from a row on.
  void add_empty(const std::string& dataset, const Shape& shape, Hdf5Numbers numbers);
  void write_rows(const std::string& dataset, std::uint64_t first, std::span<const double> values);
  void write_rows(const std::string& dataset, std::uint64_t first, std::span<const std::uint64_t> values);
  void write_rows(const std::string& dataset, std::uint64_t first, std::span<const std::uint8_t> values);
  /// Grows by rows of this shape. `rows` of them get their place in the file at once: writing such a row changes nothing
  /// but its own bytes. Until then it holds NaN where a row is one number.
  void add_growing(const std::string& dataset, const Shape& row, std::uint64_t rows = 0,
                   Hdf5Numbers numbers = Hdf5Numbers::doubles);
  /// It has so many rows afterwards, or more.
  void require_rows(const std::string& dataset, std::uint64_t rows);
  /// Numbers in a row that there is, from `first` along its first side on.
  void write_in_row(const std::string& dataset, std::uint64_t row, std::uint64_t first,
                    std::span<const double> values);
  void write_in_row(const std::string& dataset, std::uint64_t row, std::uint64_t first,
                    std::span<const std::uint8_t> values);
  /// A row more, in whole.
  void append(const std::string& dataset, std::uint64_t row, std::span<const double> values) {
    require_rows(dataset, row + 1);
    write_in_row(dataset, row, 0, values);
  }
  void flush();
  void finish();
  /// What is in a partial file is not worth keeping: it is removed when this goes.
  void discard() { flushed_ = false; }

 private:
  [[noreturn]] void fail(const std::string& why) const;
  std::int64_t checked(std::int64_t outcome) const;
  /// `longer`: by as much the file will be, too.
  void require_room(std::uint64_t bytes, bool longer = true) const;
  std::int64_t create(const std::string& dataset, std::int64_t file_type, const Shape& shape);
  void write(const std::string& dataset, const void* values, std::int64_t memory_type, std::int64_t file_type,
             const Shape& shape);
  /// A part of the dataset's first side, or of that of a row.
  void write_part(const std::string& dataset, std::optional<std::uint64_t> row, std::uint64_t first,
                  const void* values, std::uint64_t count, std::int64_t memory_type);
  void write_attribute(const std::string& group, const std::string& name, const void* values,
                       std::int64_t memory_type, std::int64_t file_type, std::optional<std::uint64_t> count);

  const std::filesystem::path& temporary() const {
    return partial_ ? partial_->path() : atomic_->temporary();
  }

  std::filesystem::path path_;
  std::optional<AtomicFile> atomic_;
  std::optional<PartialFile> partial_;
  bool flushed_ = false;  ///< what is there is worth keeping
  std::int64_t file_ = -1;
};

bool is_hdf5(const std::filesystem::path& path);

}  // namespace isolume::nbody
