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

#include "core/base/partial_file.h"
#include "core/isolation/reader_process.h"
#include "core/nbody/files/hdf5_shape.h"

/// The subset of HDF5 that files of bodies need. libhdf5 is not safe with damaged files: they are read in a separate
/// process (ReaderProcess). Writing is done in this process; as libhdf5 is not thread-safe, all calls are serialised.
namespace isolume::nbody {

/// Reads an untrusted file. Every function throws InputError that names the file and the dataset.
class Hdf5Reader {
 public:
  /// After `stop` is requested, every call throws Cancelled.
  explicit Hdf5Reader(const std::filesystem::path& path, std::stop_token stop = {});

  const std::filesystem::path& path() const { return path_; }
  const std::stop_token& stop_token() const { return stop_; }
  /// A group or dataset, e.g. "PartType1/Coordinates".
  bool has(const std::string& name) const;
  /// Shape of a numeric dataset; limited by the size of the file, in the file itself.
  Shape shape(const std::string& dataset) const;
  /// A dataset of this shape, or its rows from `first_row` on if `rows` are given.
  std::vector<double> numbers(const std::string& dataset, const Shape& shape) const;
  std::vector<double> row(const std::string& dataset, std::uint64_t row, const Shape& shape) const;
  std::vector<std::uint64_t> integers(const std::string& dataset, std::uint64_t count) const;
  /// Names of the groups and datasets in a group ("/" is the file); none where there is no such group.
  std::vector<std::string> members(const std::string& group) const;
  /// Attribute of a group ("/" is the file) or dataset; nothing if it is missing or neither numbers nor text. NaN where
  /// it is a text that is no finite number.
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

/// Writes a file that appears as a whole when finish() has returned, or not at all; or a PartialFile, which is
/// complete up to the last flush() whenever the program ends. Every function throws Error that names the file and the
/// system's reason.
class Hdf5Writer {
 public:
  virtual ~Hdf5Writer() = default;
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  virtual void add_group(const std::string& name) = 0;
  virtual void set_attribute(const std::string& group, const std::string& name,
                             std::span<const double> values) = 0;
  virtual void set_attribute(const std::string& group, const std::string& name,
                             std::span<const std::uint32_t> values) = 0;
  virtual void set_attribute(const std::string& group, const std::string& name, const std::string& text) = 0;
  /// Attribute of a group or dataset.
  void set_attribute(const std::string& of, const std::string& name, double value) {
    set_attribute(of, name, std::span(&value, 1));
  }
  virtual void replace_attribute(const std::string& of, const std::string& name, double value) = 0;
  virtual void add(const std::string& dataset, std::span<const double> values, const Shape& shape) = 0;
  virtual void add(const std::string& dataset, std::span<const float> values, const Shape& shape) = 0;
  virtual void add(const std::string& dataset, std::span<const std::uint64_t> values) = 0;
  virtual void add(const std::string& dataset, std::span<const std::uint8_t> values) = 0;
  /// Adds a dataset of doubles, 64-bit or 8-bit integers, to be written in parts.
  virtual void add_empty(const std::string& dataset, const Shape& shape, Hdf5Numbers numbers) = 0;
  virtual void write_rows(const std::string& dataset, std::uint64_t first,
                          std::span<const double> values) = 0;
  virtual void write_rows(const std::string& dataset, std::uint64_t first,
                          std::span<const std::uint64_t> values) = 0;
  virtual void write_rows(const std::string& dataset, std::uint64_t first,
                          std::span<const std::uint8_t> values) = 0;
  /// Adds a dataset that grows by rows of this shape. Space for `rows` of them is allocated in the file at once:
  /// writing such a row changes only its own bytes. Until then it holds NaN if a row is one number.
  virtual void add_growing(const std::string& dataset, const Shape& row, std::uint64_t rows = 0,
                           Hdf5Numbers numbers = Hdf5Numbers::doubles) = 0;
  /// Extends the dataset to at least this many rows.
  virtual void require_rows(const std::string& dataset, std::uint64_t rows) = 0;
  /// Writes part of an existing row, starting at `first` along its first dimension.
  virtual void write_in_row(const std::string& dataset, std::uint64_t row, std::uint64_t first,
                            std::span<const double> values) = 0;
  virtual void write_in_row(const std::string& dataset, std::uint64_t row, std::uint64_t first,
                            std::span<const std::uint8_t> values) = 0;
  /// Appends a complete row.
  void append(const std::string& dataset, std::uint64_t row, std::span<const double> values) {
    require_rows(dataset, row + 1);
    write_in_row(dataset, row, 0, values);
  }
  virtual void flush() = 0;
  virtual void finish() = 0;
  /// Gives up the content of a partial file: the destructor removes it.
  virtual void discard() = 0;

 protected:
  Hdf5Writer() = default;
};
/// Throw Error in lean programs (isolume_full_library in packaging/cmake/IsolumeTarget.cmake), which do without libhdf5.
std::unique_ptr<Hdf5Writer> write_hdf5(const std::filesystem::path& path);
std::unique_ptr<Hdf5Writer> write_hdf5(const std::filesystem::path& path, PartialFile::Start start);

bool is_hdf5(const std::filesystem::path& path);

}  // namespace isolume::nbody
