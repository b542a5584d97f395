#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/nbody/files/hdf5_file.h"
#include "core/nbody/files/hdf5_handles.h"

namespace isolume::nbody {
namespace {

/// Reserves libhdf5 for this thread while it lives, and silences its error output.
class Session {
 public:
  Session() : lock_(mutex()) {
    // A damaged file can leave objects open that libhdf5 would complain about at exit; all files are closed here.
    [[maybe_unused]] static const herr_t not_at_exit = H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Session() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex mutex;
    return mutex;
  }
  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

class LibraryWriter final : public Hdf5Writer {
 public:
  explicit LibraryWriter(const std::filesystem::path& path);
  LibraryWriter(const std::filesystem::path& path, PartialFile::Start start);
  ~LibraryWriter() override;

  using Hdf5Writer::set_attribute;
  void add_group(const std::string& name) override;
  void set_attribute(const std::string& group, const std::string& name,
                     std::span<const double> values) override;
  void set_attribute(const std::string& group, const std::string& name,
                     std::span<const std::uint32_t> values) override;
  void set_attribute(const std::string& group, const std::string& name, const std::string& text) override;
  void replace_attribute(const std::string& of, const std::string& name, double value) override;
  void add(const std::string& dataset, std::span<const double> values, const Shape& shape) override;
  void add(const std::string& dataset, std::span<const float> values, const Shape& shape) override;
  void add(const std::string& dataset, std::span<const std::uint64_t> values) override;
  void add(const std::string& dataset, std::span<const std::uint8_t> values) override;
  void add_empty(const std::string& dataset, const Shape& shape, Hdf5Numbers numbers) override;
  void write_rows(const std::string& dataset, std::uint64_t first, std::span<const double> values) override;
  void write_rows(const std::string& dataset, std::uint64_t first,
                  std::span<const std::uint64_t> values) override;
  void write_rows(const std::string& dataset, std::uint64_t first,
                  std::span<const std::uint8_t> values) override;
  void add_growing(const std::string& dataset, const Shape& row, std::uint64_t rows,
                   Hdf5Numbers numbers) override;
  void require_rows(const std::string& dataset, std::uint64_t rows) override;
  void write_in_row(const std::string& dataset, std::uint64_t row, std::uint64_t first,
                    std::span<const double> values) override;
  void write_in_row(const std::string& dataset, std::uint64_t row, std::uint64_t first,
                    std::span<const std::uint8_t> values) override;
  void flush() override;
  void finish() override;
  void discard() override { flushed_ = false; }

 private:
  [[noreturn]] void fail(const std::string& why) const;
  std::int64_t checked(std::int64_t outcome) const;
  /// `longer`: the file will also grow by this much.
  void require_room(std::uint64_t bytes, bool longer = true) const;
  std::int64_t create(const std::string& dataset, std::int64_t file_type, const Shape& shape);
  void write(const std::string& dataset, const void* values, std::int64_t memory_type, std::int64_t file_type,
             const Shape& shape);
  /// Writes a part along the first dimension of the dataset, or of one of its rows.
  void write_part(const std::string& dataset, std::optional<std::uint64_t> row, std::uint64_t first,
                  const void* values, std::uint64_t count, std::int64_t memory_type);
  /// One value is a scalar.
  void write_attribute(const std::string& group, const std::string& name, const void* values,
                       std::int64_t memory_type, std::int64_t file_type, std::uint64_t count);

  const std::filesystem::path& temporary() const {
    return partial_ ? partial_->path() : atomic_->temporary();
  }

  std::filesystem::path path_;
  std::optional<AtomicFile> atomic_;
  std::optional<PartialFile> partial_;
  bool flushed_ = false;  ///< the content of the partial file is worth keeping
  std::int64_t file_ = -1;
};

LibraryWriter::LibraryWriter(const std::filesystem::path& path) : path_(path) {
  atomic_.emplace(path);
  const Session session;
  file_ = checked(H5Fcreate(temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

LibraryWriter::LibraryWriter(const std::filesystem::path& path, PartialFile::Start start) : path_(path) {
  partial_.emplace(path, start);
  const Session session;
  if (start == PartialFile::Start::fresh) {
    file_ = H5Fcreate(temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file_ < 0) partial_->discard();
    checked(file_);
    return;
  }
  flushed_ = true;
  file_ = H5Fopen(temporary().c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  if (file_ < 0) {
    throw InputError(temporary(), 0, fmt::format("cannot be continued ({})", last_hdf5_problem()),
                     "Start a new run; the moments that can be read remain in this file.");
  }
}

LibraryWriter::~LibraryWriter() {
  const Session session;
  if (file_ >= 0) H5Fclose(file_);
  if (partial_ && !flushed_) partial_->discard();
}

void LibraryWriter::fail(const std::string& why) const {
  // What libhdf5 cannot write it writes again on closing, and crashes if it cannot: disk space is therefore checked
  // in advance. Once a partial file has been flushed, only rows are written, which libhdf5 does not cache.
  std::error_code ignored;
  if (!flushed_) std::filesystem::resize_file(temporary(), 0, ignored);
  throw Error(fmt::format("{}: could not be written ({}). Free some space or choose another folder.",
                          path_.string(), why));
}

std::int64_t LibraryWriter::checked(std::int64_t outcome) const {
  if (outcome < 0) fail(last_hdf5_problem());
  return outcome;
}

/// Called before data is passed to libhdf5, which does not survive a full disk.
void LibraryWriter::require_room(std::uint64_t bytes, bool longer) const {
  constexpr std::uint64_t bookkeeping = 32 << 10;  // chunk index and groups that are not yet written
  hsize_t there = 0;
  checked(H5Fget_filesize(file_, &there));
  rlimit limit = {};
  if (longer && ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      there + bytes + bookkeeping > limit.rlim_cur) {
    fail(std::strerror(EFBIG));
  }
  std::error_code failed;
  const auto space = std::filesystem::space(temporary(), failed);
  if (!failed && bytes + bookkeeping > space.available) fail(std::strerror(ENOSPC));
}

/// No time stamps, so that equal data give equal files.
hid_t dataset_creation() {
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(creation, false);
  return creation;
}

void LibraryWriter::add_group(const std::string& name) {
  const Session session;
  const Hdf5Handle group(checked(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
                         H5Gclose);
}

void LibraryWriter::write_attribute(const std::string& group, const std::string& name, const void* values,
                                    std::int64_t memory_type, std::int64_t file_type, std::uint64_t count) {
  const hsize_t size = count;
  const Hdf5Handle space(checked(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr)),
                         H5Sclose);
  const Hdf5Handle attribute(checked(H5Acreate_by_name(file_, group.c_str(), name.c_str(), file_type, space,
                                                       H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
                             H5Aclose);
  checked(H5Awrite(attribute, memory_type, values));
}

void LibraryWriter::set_attribute(const std::string& group, const std::string& name,
                                  std::span<const double> values) {
  const Session session;
  write_attribute(group, name, values.data(), H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, values.size());
}

void LibraryWriter::set_attribute(const std::string& group, const std::string& name,
                                  std::span<const std::uint32_t> values) {
  const Session session;
  write_attribute(group, name, values.data(), H5T_NATIVE_UINT32, H5T_STD_U32LE, values.size());
}

void LibraryWriter::set_attribute(const std::string& group, const std::string& name,
                                  const std::string& text) {
  const Session session;
  const Hdf5Handle type(checked(H5Tcopy(H5T_C_S1)), H5Tclose);
  checked(H5Tset_size(type, text.size() + 1));
  write_attribute(group, name, text.c_str(), type, type, 1);
}

void LibraryWriter::replace_attribute(const std::string& of, const std::string& name, double value) {
  const Session session;
  checked(H5Adelete_by_name(file_, of.c_str(), name.c_str(), H5P_DEFAULT));
  set_attribute(of, name, value);
}

std::int64_t LibraryWriter::create(const std::string& name, std::int64_t file_type, const Shape& shape) {
  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  const Hdf5Handle space(checked(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr)),
                         H5Sclose);
  require_room(product(shape) * H5Tget_size(file_type));
  const Hdf5Handle creation(checked(dataset_creation()), H5Pclose);
  return checked(H5Dcreate2(file_, name.c_str(), file_type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
}

void LibraryWriter::add_empty(const std::string& name, const Shape& shape, Hdf5Numbers numbers) {
  const Session session;
  const hid_t type = numbers == Hdf5Numbers::doubles  ? H5T_IEEE_F64LE
                     : numbers == Hdf5Numbers::counts ? H5T_STD_U64LE
                                                      : H5T_STD_U8LE;
  Hdf5Handle dataset(create(name, type, shape), H5Dclose);
  checked(dataset.close());
}

void LibraryWriter::write(const std::string& name, const void* values, std::int64_t memory_type,
                          std::int64_t file_type, const Shape& shape) {
  Hdf5Handle dataset(create(name, file_type, shape), H5Dclose);
  checked(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  checked(dataset.close());
}

void LibraryWriter::add(const std::string& name, std::span<const double> values, const Shape& shape) {
  const Session session;
  write(name, values.data(), H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, shape);
}
void LibraryWriter::add(const std::string& name, std::span<const float> values, const Shape& shape) {
  const Session session;
  write(name, values.data(), H5T_NATIVE_FLOAT, H5T_IEEE_F32LE, shape);
}
void LibraryWriter::add(const std::string& name, std::span<const std::uint64_t> values) {
  const Session session;
  write(name, values.data(), H5T_NATIVE_UINT64, H5T_STD_U64LE, {values.size()});
}
void LibraryWriter::add(const std::string& name, std::span<const std::uint8_t> values) {
  const Session session;
  write(name, values.data(), H5T_NATIVE_UINT8, H5T_STD_U8LE, {values.size()});
}

void LibraryWriter::add_growing(const std::string& name, const Shape& row, std::uint64_t rows,
                                Hdf5Numbers numbers) {
  const Session session;
  const hid_t type = numbers == Hdf5Numbers::bytes ? H5T_STD_U8LE : H5T_IEEE_F64LE;
  // A chunk is a row, or a part of one that is read in one go.
  constexpr hsize_t most_chunk = 1 << 16;
  std::vector<hsize_t> sizes{rows}, most{H5S_UNLIMITED}, chunk{1};
  for (const std::uint64_t size : row) {
    sizes.push_back(size);
    most.push_back(size);
    chunk.push_back(std::min<hsize_t>(size, most_chunk));
  }
  if (row.empty()) chunk[0] = 1024;
  const int rank = static_cast<int>(sizes.size());
  const Hdf5Handle space(checked(H5Screate_simple(rank, sizes.data(), most.data())), H5Sclose);
  const Hdf5Handle creation(checked(dataset_creation()), H5Pclose);
  checked(H5Pset_chunk(creation, rank, chunk.data()));
  if (rows > 0) {
    require_room(rows * product(row) * H5Tget_size(type));
    const double unwritten = std::numeric_limits<double>::quiet_NaN();
    checked(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY));
    checked(H5Pset_fill_time(creation, row.empty() ? H5D_FILL_TIME_ALLOC : H5D_FILL_TIME_NEVER));
    if (row.empty()) checked(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &unwritten));
  }
  const Hdf5Handle dataset(
      checked(H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT)), H5Dclose);
}

/// Nothing is cached for later writes, at which a full disk could no longer be reported.
hid_t access_without_cache() {
  const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  H5Pset_chunk_cache(access, 0, 0, 0);
  return access;
}

void LibraryWriter::require_rows(const std::string& name, std::uint64_t rows) {
  const Session session;
  const Hdf5Handle access(checked(access_without_cache()), H5Pclose);
  Hdf5Handle dataset(checked(H5Dopen2(file_, name.c_str(), access)), H5Dclose);
  const Hdf5Handle type(checked(H5Dget_type(dataset)), H5Tclose);
  Shape shape = shape_of(dataset);
  require_room(product({shape.begin() + 1, shape.end()}) * H5Tget_size(type), rows > shape[0]);
  if (rows > shape[0]) {
    shape[0] = rows;
    const std::vector<hsize_t> sizes(shape.begin(), shape.end());
    checked(H5Dset_extent(dataset, sizes.data()));
  }
  checked(dataset.close());
}

void LibraryWriter::write_part(const std::string& name, std::optional<std::uint64_t> row, std::uint64_t first,
                               const void* values, std::uint64_t count, std::int64_t memory_type) {
  const Session session;
  const Hdf5Handle access(checked(access_without_cache()), H5Pclose);
  Hdf5Handle dataset(checked(H5Dopen2(file_, name.c_str(), access)), H5Dclose);
  const Shape shape = shape_of(dataset);
  std::vector<hsize_t> start(shape.size(), 0), sizes(shape.begin(), shape.end());
  const std::size_t side = row ? 1 : 0;
  if (row) {
    start[0] = *row;
    sizes[0] = 1;
  }
  if (side < shape.size()) {
    start[side] = first;
    sizes[side] = count / product({shape.begin() + static_cast<std::ptrdiff_t>(side) + 1, shape.end()});
  }
  const Hdf5Handle space(checked(H5Dget_space(dataset)), H5Sclose);
  checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, sizes.data(), nullptr));
  const hsize_t size = count;
  const Hdf5Handle memory(checked(H5Screate_simple(1, &size, nullptr)), H5Sclose);
  checked(H5Dwrite(dataset, memory_type, memory, space, H5P_DEFAULT, values));
  checked(dataset.close());
}

void LibraryWriter::write_in_row(const std::string& name, std::uint64_t row, std::uint64_t first,
                                 std::span<const double> values) {
  write_part(name, row, first, values.data(), values.size(), H5T_NATIVE_DOUBLE);
}
void LibraryWriter::write_in_row(const std::string& name, std::uint64_t row, std::uint64_t first,
                                 std::span<const std::uint8_t> values) {
  write_part(name, row, first, values.data(), values.size(), H5T_NATIVE_UINT8);
}
void LibraryWriter::write_rows(const std::string& name, std::uint64_t first, std::span<const double> values) {
  write_part(name, std::nullopt, first, values.data(), values.size(), H5T_NATIVE_DOUBLE);
}
void LibraryWriter::write_rows(const std::string& name, std::uint64_t first,
                               std::span<const std::uint64_t> values) {
  write_part(name, std::nullopt, first, values.data(), values.size(), H5T_NATIVE_UINT64);
}
void LibraryWriter::write_rows(const std::string& name, std::uint64_t first,
                               std::span<const std::uint8_t> values) {
  write_part(name, std::nullopt, first, values.data(), values.size(), H5T_NATIVE_UINT8);
}

void LibraryWriter::flush() {
  const Session session;
  require_room(0);
  checked(H5Fflush(file_, H5F_SCOPE_LOCAL));
  flushed_ = true;
}

void LibraryWriter::finish() {
  const Session session;
  flush();
  checked(H5Fclose(std::exchange(file_, -1)));
  if (partial_) {
    partial_->publish();
  } else {
    atomic_->commit();
  }
}

}  // namespace

std::unique_ptr<Hdf5Writer> write_hdf5(const std::filesystem::path& path) {
  return std::make_unique<LibraryWriter>(path);
}

std::unique_ptr<Hdf5Writer> write_hdf5(const std::filesystem::path& path, PartialFile::Start start) {
  return std::make_unique<LibraryWriter>(path, start);
}

}  // namespace isolume::nbody
