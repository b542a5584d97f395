#include "core/nbody/hdf5_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>
#include <sys/resource.h>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/dispatch/dispatch.h"

namespace isolume::nbody {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

/// While it lives, libhdf5 is this thread's, and keeps what goes wrong to itself.
class Session {
 public:
  Session() : lock_(mutex()) {
    // A damaged file can leave something open that libhdf5 complains of at exit; all files are closed here.
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

/// Closes what an identifier stands for.
class Handle {
 public:
  Handle(hid_t id, herr_t (*how)(hid_t)) : id_(id), close_(how) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }
  /// Now, and what came of it: libhdf5 writes when it closes.
  herr_t close() { return close_(std::exchange(id_, -1)); }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// What libhdf5 says of the last problem: the innermost of its messages.
std::string last_problem() {
  std::string text;
  const auto take = [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
    if (error->desc != nullptr && *error->desc != 0) *static_cast<std::string*>(to) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, take, &text);
  return text.empty() ? "the HDF5 library does not say why" : text;
}

/// An honest file grows by unpacking (deflate) by no more than this.
constexpr std::uint64_t most_growth = 1100;

std::uint64_t product(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t each : shape) {
    if (each != 0 && count > std::numeric_limits<std::uint64_t>::max() / 16 / each) return 0;
    count *= each;
  }
  return count;
}

Shape shape_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  std::array<hsize_t, H5S_MAX_RANK> sizes = {};
  if (rank < 0 || H5Sget_simple_extent_dims(space, sizes.data(), nullptr) < 0) return {0};
  return {sizes.begin(), sizes.begin() + rank};
}

bool leads_elsewhere(hid_t file, const std::string& name) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = name.find('/', end + 1);
    H5L_info_t info;
    const std::string part = name.substr(0, end);
    if (H5Lget_info(file, part.c_str(), &info, H5P_DEFAULT) < 0) return false;
    if (info.type != H5L_TYPE_HARD) return true;
  }
  return false;
}

}  // namespace

bool is_hdf5(const std::filesystem::path& path) {
  static constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  return start_of_file(path, signature.size()) == signature;
}

Hdf5Reader::Hdf5Reader(const std::filesystem::path& path) : path_(path) {
  require_regular_file(path);
  const Session session;
  std::error_code failed;
  file_bytes_ = std::filesystem::file_size(path, failed);
  if (failed) throw InputError(path, 0, failed.message(), "Choose a file that can be read.");
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ < 0) fail(fmt::format("cannot be opened as HDF5 ({})", last_problem()));
}

Hdf5Reader::~Hdf5Reader() {
  const Session session;
  H5Fclose(file_);
}

void Hdf5Reader::fail(const std::string& problem) const {
  throw InputError(path_, 0, problem, "Write the file again with the program that made it.");
}

bool Hdf5Reader::has(const std::string& name) const {
  const Session session;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = name.find('/', end + 1);
    if (H5Lexists(file_, name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return true;
}

std::int64_t Hdf5Reader::open_dataset(const std::string& name) const {
  if (!has(name)) fail(fmt::format("there is no dataset {}", name));
  if (leads_elsewhere(file_, name)) fail(fmt::format("{} is a link, which is not followed", name));
  const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
  if (dataset < 0) fail(fmt::format("{} is no dataset ({})", name, last_problem()));
  return dataset;
}

Shape Hdf5Reader::shape(const std::string& name) const {
  const Session session;
  const Handle dataset(open_dataset(name), H5Dclose), type(H5Dget_type(dataset), H5Tclose),
      creation(H5Dget_create_plist(dataset), H5Pclose);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) fail(fmt::format("{} does not hold numbers", name));
  Shape shape = shape_of(dataset);
  const std::uint64_t bytes = product(shape) * std::min<std::uint64_t>(H5Tget_size(type), 16);
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  const bool elsewhere = H5Pget_external_count(creation) != 0 || H5Pget_layout(creation) == H5D_VIRTUAL;
  const bool packed = H5Pget_nfilters(creation) > 0;
  const bool honest = packed ? bytes / most_growth <= stored : bytes <= stored;
  if (elsewhere) fail(fmt::format("{} is kept in another file, which is not read", name));
  if ((bytes == 0 && std::ranges::find(shape, 0u) == shape.end()) || !honest || stored > file_bytes_) {
    fail(fmt::format("{} should hold {} numbers, but only {} of {} are there", name, fmt::join(shape, " x "),
                     format_bytes(std::min(stored, file_bytes_)), format_bytes(bytes)));
  }
  return shape;
}

namespace {

template <class Value>
std::vector<Value> read(hid_t dataset, hid_t type, std::uint64_t count) {
  // Packed numbers may be many more than the file is large; most of them are split up by axis afterwards.
  dispatch::require_memory("Reading the bodies", 2 * sizeof(Value) * count,
                           "Read it on a machine with more memory.");
  std::vector<Value> values(count);
  if (count > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return {};
  return values;
}

}  // namespace

std::vector<double> Hdf5Reader::numbers(const std::string& name, const Shape& wanted) const {
  const Session session;
  if (const Shape found = shape(name); found != wanted) {
    fail(fmt::format("{} should hold {} numbers, but holds {}", name, fmt::join(wanted, " x "),
                     fmt::join(found, " x ")));
  }
  const Handle dataset(open_dataset(name), H5Dclose);
  auto values = read<double>(dataset, H5T_NATIVE_DOUBLE, product(wanted));
  if (values.size() != product(wanted)) fail(fmt::format("{} cannot be read ({})", name, last_problem()));
  return values;
}

std::vector<std::uint64_t> Hdf5Reader::integers(const std::string& name, std::uint64_t count) const {
  const Session session;
  if (shape(name) != Shape{count}) fail(fmt::format("{} should hold {} numbers", name, count));
  const Handle dataset(open_dataset(name), H5Dclose);
  auto values = read<std::uint64_t>(dataset, H5T_NATIVE_UINT64, count);
  if (values.size() != count) fail(fmt::format("{} cannot be read ({})", name, last_problem()));
  return values;
}

std::vector<double> Hdf5Reader::row(const std::string& name, std::uint64_t row, const Shape& wanted) const {
  const Session session;
  const Shape found = shape(name);
  const bool fits =
      found.size() == wanted.size() + 1 && std::ranges::equal(wanted, std::span(found).subspan(1));
  if (!fits || row >= found[0]) {
    fail(fmt::format("{} should have a row {} of {} numbers, but holds {}", name, row,
                     fmt::join(wanted, " x "), fmt::join(found, " x ")));
  }
  const Handle dataset(open_dataset(name), H5Dclose), space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> start(found.size(), 0), count(found.begin(), found.end());
  start[0] = row;
  count[0] = 1;
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  const hsize_t size = product(wanted);
  const Handle memory(H5Screate_simple(1, &size, nullptr), H5Sclose);
  std::vector<double> values(size);
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()) < 0) {
    fail(fmt::format("{}, row {}, cannot be read ({})", name, row, last_problem()));
  }
  return values;
}

std::int64_t Hdf5Reader::open_attribute(const std::string& group, const std::string& name) const {
  if (group != "/" && (!has(group) || leads_elsewhere(file_, group))) return -1;
  if (H5Aexists_by_name(file_, group.c_str(), name.c_str(), H5P_DEFAULT) <= 0) return -1;
  return H5Aopen_by_name(file_, group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
}

std::optional<std::vector<double>> Hdf5Reader::attribute(const std::string& group,
                                                         const std::string& name) const {
  const Session session;
  const Handle attribute(open_attribute(group, name), H5Aclose);
  if (attribute < 0) return std::nullopt;
  const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  const H5T_class_t kind = H5Tget_class(type);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 1 || count > 1000) return std::nullopt;
  std::vector<double> values(static_cast<std::size_t>(count));
  if (H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0) return std::nullopt;
  return values;
}

std::optional<std::string> Hdf5Reader::text_attribute(const std::string& group,
                                                      const std::string& name) const {
  const Session session;
  const Handle attribute(open_attribute(group, name), H5Aclose);
  if (attribute < 0) return std::nullopt;
  const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || size == 0 || size > (1 << 16) ||
      H5Sget_simple_extent_npoints(space) != 1) {
    return std::nullopt;
  }
  std::string text(size, '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return std::nullopt;
  return text.substr(0, text.find('\0'));
}

Hdf5Writer::Hdf5Writer(const std::filesystem::path& path) : path_(path), atomic_(path) {
  const Session session;
  file_ = H5Fcreate(atomic_.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  checked(file_);
}

Hdf5Writer::~Hdf5Writer() {
  const Session session;
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5Writer::fail(const std::string& why) const {
  // What libhdf5 could not write it writes again when it closes, and crashes when it cannot: so there is room now.
  std::error_code ignored;
  std::filesystem::resize_file(atomic_.temporary(), 0, ignored);
  throw Error(fmt::format("{}: could not be written ({}). Free some space or choose another folder.",
                          path_.string(), why));
}

std::int64_t Hdf5Writer::checked(std::int64_t outcome) const {
  if (outcome < 0) fail(last_problem());
  return outcome;
}

/// Before libhdf5 is given anything, as it does not survive a full disk.
void Hdf5Writer::require_room(std::uint64_t bytes) const {
  constexpr std::uint64_t bookkeeping = 32 << 10;  // of chunks and groups, not yet written
  hsize_t there = 0;
  checked(H5Fget_filesize(file_, &there));
  rlimit limit = {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      there + bytes + bookkeeping > limit.rlim_cur) {
    fail(std::strerror(EFBIG));
  }
  std::error_code failed;
  const auto space = std::filesystem::space(atomic_.temporary(), failed);
  if (!failed && bytes + bookkeeping > space.available) fail(std::strerror(ENOSPC));
}

namespace {

/// Without the time, so that the same data make the same file.
hid_t dataset_creation() {
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(creation, false);
  return creation;
}

}  // namespace

void Hdf5Writer::add_group(const std::string& name) {
  const Session session;
  const Handle group(checked(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
                     H5Gclose);
}

void Hdf5Writer::write_attribute(const std::string& group, const std::string& name, const void* values,
                                 std::int64_t memory_type, std::int64_t file_type,
                                 std::optional<std::uint64_t> count) {
  const hsize_t size = count.value_or(1);
  const Handle space(checked(count ? H5Screate_simple(1, &size, nullptr) : H5Screate(H5S_SCALAR)), H5Sclose);
  const Handle attribute(checked(H5Acreate_by_name(file_, group.c_str(), name.c_str(), file_type, space,
                                                   H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
                         H5Aclose);
  checked(H5Awrite(attribute, memory_type, values));
}

void Hdf5Writer::set_attribute(const std::string& group, const std::string& name,
                               std::span<const double> values) {
  const Session session;
  const auto count = values.size() == 1 ? std::nullopt : std::optional<std::uint64_t>(values.size());
  write_attribute(group, name, values.data(), H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, count);
}

void Hdf5Writer::set_attribute(const std::string& group, const std::string& name,
                               std::span<const std::uint32_t> values) {
  const Session session;
  const auto count = values.size() == 1 ? std::nullopt : std::optional<std::uint64_t>(values.size());
  write_attribute(group, name, values.data(), H5T_NATIVE_UINT32, H5T_STD_U32LE, count);
}

void Hdf5Writer::set_attribute(const std::string& group, const std::string& name, const std::string& text) {
  const Session session;
  const Handle type(checked(H5Tcopy(H5T_C_S1)), H5Tclose);
  checked(H5Tset_size(type, text.size() + 1));
  write_attribute(group, name, text.c_str(), type, type, std::nullopt);
}

std::int64_t Hdf5Writer::create(const std::string& name, std::int64_t file_type, const Shape& shape) {
  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  const Handle space(checked(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr)),
                     H5Sclose);
  require_room(product(shape) * H5Tget_size(file_type));
  const Handle creation(checked(dataset_creation()), H5Pclose);
  return checked(H5Dcreate2(file_, name.c_str(), file_type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
}

void Hdf5Writer::add_empty(const std::string& name, const Shape& shape, Hdf5Numbers numbers) {
  const Session session;
  const hid_t type = numbers == Hdf5Numbers::doubles  ? H5T_IEEE_F64LE
                     : numbers == Hdf5Numbers::counts ? H5T_STD_U64LE
                                                      : H5T_STD_U8LE;
  Handle dataset(create(name, type, shape), H5Dclose);
  checked(dataset.close());
}

void Hdf5Writer::write(const std::string& name, const void* values, std::int64_t memory_type,
                       std::int64_t file_type, const Shape& shape) {
  Handle dataset(create(name, file_type, shape), H5Dclose);
  checked(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  checked(dataset.close());
}

void Hdf5Writer::add(const std::string& name, std::span<const double> values, const Shape& shape) {
  const Session session;
  write(name, values.data(), H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, shape);
}
void Hdf5Writer::add(const std::string& name, std::span<const float> values, const Shape& shape) {
  const Session session;
  write(name, values.data(), H5T_NATIVE_FLOAT, H5T_IEEE_F32LE, shape);
}
void Hdf5Writer::add(const std::string& name, std::span<const std::uint64_t> values) {
  const Session session;
  write(name, values.data(), H5T_NATIVE_UINT64, H5T_STD_U64LE, {values.size()});
}
void Hdf5Writer::add(const std::string& name, std::span<const std::uint8_t> values) {
  const Session session;
  write(name, values.data(), H5T_NATIVE_UINT8, H5T_STD_U8LE, {values.size()});
}

void Hdf5Writer::add_growing(const std::string& name, const Shape& row) {
  const Session session;
  // A chunk is a row, or a part of one that reading takes in one go.
  constexpr hsize_t most_chunk = 1 << 16;
  std::vector<hsize_t> sizes{0}, most{H5S_UNLIMITED}, chunk{1};
  for (const std::uint64_t size : row) {
    sizes.push_back(size);
    most.push_back(size);
    chunk.push_back(std::min<hsize_t>(size, most_chunk));
  }
  if (row.empty()) chunk[0] = 1024;
  const int rank = static_cast<int>(sizes.size());
  const Handle space(checked(H5Screate_simple(rank, sizes.data(), most.data())), H5Sclose);
  const Handle creation(checked(dataset_creation()), H5Pclose);
  checked(H5Pset_chunk(creation, rank, chunk.data()));
  const Handle dataset(
      checked(H5Dcreate2(file_, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT)),
      H5Dclose);
}

namespace {

/// Nothing is kept to be written later, when it could not be told that the disk is full.
hid_t access_without_cache() {
  const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  H5Pset_chunk_cache(access, 0, 0, 0);
  return access;
}

}  // namespace

void Hdf5Writer::extend(const std::string& name) {
  const Session session;
  const Handle access(checked(access_without_cache()), H5Pclose);
  Handle dataset(checked(H5Dopen2(file_, name.c_str(), access)), H5Dclose);
  const Handle type(checked(H5Dget_type(dataset)), H5Tclose);
  Shape shape = shape_of(dataset);
  require_room(product({shape.begin() + 1, shape.end()}) * H5Tget_size(type));
  ++shape[0];
  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  checked(H5Dset_extent(dataset, sizes.data()));
  checked(dataset.close());
}

void Hdf5Writer::write_part(const std::string& name, bool in_last_row, std::uint64_t first,
                            const void* values, std::uint64_t count, std::int64_t memory_type) {
  const Session session;
  const Handle access(checked(access_without_cache()), H5Pclose);
  Handle dataset(checked(H5Dopen2(file_, name.c_str(), access)), H5Dclose);
  const Shape shape = shape_of(dataset);
  std::vector<hsize_t> start(shape.size(), 0), sizes(shape.begin(), shape.end());
  const std::size_t side = in_last_row ? 1 : 0;
  if (in_last_row) {
    start[0] = shape[0] - 1;
    sizes[0] = 1;
  }
  if (side < shape.size()) {
    start[side] = first;
    sizes[side] = count / product({shape.begin() + static_cast<std::ptrdiff_t>(side) + 1, shape.end()});
  }
  const Handle space(checked(H5Dget_space(dataset)), H5Sclose);
  checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, sizes.data(), nullptr));
  const hsize_t size = count;
  const Handle memory(checked(H5Screate_simple(1, &size, nullptr)), H5Sclose);
  checked(H5Dwrite(dataset, memory_type, memory, space, H5P_DEFAULT, values));
  checked(dataset.close());
}

void Hdf5Writer::write_in_last(const std::string& name, std::uint64_t first, std::span<const double> values) {
  write_part(name, true, first, values.data(), values.size(), H5T_NATIVE_DOUBLE);
}
void Hdf5Writer::write_rows(const std::string& name, std::uint64_t first, std::span<const double> values) {
  write_part(name, false, first, values.data(), values.size(), H5T_NATIVE_DOUBLE);
}
void Hdf5Writer::write_rows(const std::string& name, std::uint64_t first,
                            std::span<const std::uint64_t> values) {
  write_part(name, false, first, values.data(), values.size(), H5T_NATIVE_UINT64);
}
void Hdf5Writer::write_rows(const std::string& name, std::uint64_t first,
                            std::span<const std::uint8_t> values) {
  write_part(name, false, first, values.data(), values.size(), H5T_NATIVE_UINT8);
}

void Hdf5Writer::finish() {
  const Session session;
  require_room(0);
  checked(H5Fflush(file_, H5F_SCOPE_LOCAL));
  checked(H5Fclose(std::exchange(file_, -1)));
  atomic_.commit();
}

}  // namespace isolume::nbody
