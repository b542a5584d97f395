#include "core/nbody/files/hdf5_access.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/nbody/files/hdf5_handles.h"

namespace isolume::nbody {
namespace {

/// Upper limit of the compression ratio (deflate) of a valid file.
constexpr std::uint64_t most_growth = 1100;

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

/// How a dataset is read in parts, along one of its dimensions.
struct Windows {
  std::size_t side;
  std::uint64_t first, steps;  ///< along that dimension, per window
  std::uint64_t bytes_a_step;
};

class ServedHdf5 final : public isolation::ServedReader {
 public:
  explicit ServedHdf5(const std::filesystem::path& path) {
    std::error_code failed;
    file_bytes_ = std::filesystem::file_size(path, failed);
    if (failed) throw Error(fmt::format("it cannot be read ({})", failed.message()));
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    // A run that is still being recorded is readable up to its last complete frame.
    ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file_ < 0) throw Error(fmt::format("cannot be opened as HDF5 ({})", last_hdf5_problem()));
  }

  nlohmann::json answer(const nlohmann::json& request, isolation::NumberSink& numbers) override {
    const std::string wanted = request.at("do");
    if (wanted == "open") return true;
    const std::string name = request.at("name");
    if (wanted == "has") return has(name);
    if (wanted == "shape") return shape(name);
    if (wanted == "attribute") return attribute(request.at("group"), name);
    if (wanted == "text") return text_attribute(request.at("group"), name);
    if (wanted == "members") return members(name);
    std::optional<std::uint64_t> row;
    if (request.contains("row")) row = request.at("row").get<std::uint64_t>();
    put(name, row, wanted == "integers" ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE, numbers);
    return true;
  }

 private:
  bool has(const std::string& name) const {
    for (std::size_t end = 0; end != std::string::npos;) {
      end = name.find('/', end + 1);
      if (H5Lexists(file_, name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    }
    return true;
  }

  /// Names of the groups and datasets in a group, alphabetically. Bytes that are not ASCII are replaced, as they
  /// need not be text.
  std::vector<std::string> members(const std::string& group) const {
    std::vector<std::string> names;
    if (group != "/" && (!has(group) || leads_elsewhere(file_, group))) return names;
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
      constexpr std::size_t most = 10000, longest = 200;
      auto& all = *static_cast<std::vector<std::string>*>(to);
      std::string& added = all.emplace_back(name, ::strnlen(name, longest));
      std::ranges::replace_if(
          added, [](char each) { return each < ' ' || each > '~'; }, '?');
      return all.size() < most ? 0 : 1;
    };
    H5Literate_by_name(file_, group.c_str(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names, H5P_DEFAULT);
    return names;
  }

  hid_t open_dataset(const std::string& name) const {
    if (!has(name)) throw Error(fmt::format("there is no dataset {}", name));
    if (leads_elsewhere(file_, name)) throw Error(fmt::format("{} is a link, which is not followed", name));
    const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    if (dataset < 0) throw Error(fmt::format("{} is not a dataset ({})", name, last_hdf5_problem()));
    return dataset;
  }

  /// Limited by the size of the file, in the file itself (not in an external one).
  Shape shape(const std::string& name) const {
    const Hdf5Handle dataset(open_dataset(name), H5Dclose), type(H5Dget_type(dataset), H5Tclose),
        creation(H5Dget_create_plist(dataset), H5Pclose);
    const H5T_class_t kind = H5Tget_class(type);
    if (kind != H5T_INTEGER && kind != H5T_FLOAT) throw Error(fmt::format("{} does not hold numbers", name));
    Shape found = shape_of(dataset);
    const std::uint64_t bytes = product(found) * std::min<std::uint64_t>(H5Tget_size(type), 16);
    const std::uint64_t stored = H5Dget_storage_size(dataset);
    const bool elsewhere = H5Pget_external_count(creation) != 0 || H5Pget_layout(creation) == H5D_VIRTUAL;
    const bool packed = H5Pget_nfilters(creation) > 0;
    const bool honest = packed ? bytes / most_growth <= stored : bytes <= stored;
    if (elsewhere) throw Error(fmt::format("{} is kept in another file, which is not read", name));
    if ((bytes == 0 && std::ranges::find(found, 0u) == found.end()) || !honest || stored > file_bytes_) {
      throw Error(fmt::format("{} should hold {} numbers, but only {} of {} are there", name,
                              fmt::join(found, " × "), format_bytes(std::min(stored, file_bytes_)),
                              format_bytes(bytes)));
    }
    return found;
  }

  /// Small enough to stay in the cache of a core until the other process has copied it, and whole chunks, because chunks are
  /// decompressed as a whole.
  static Windows windows_of(hid_t dataset, const Shape& shape, std::size_t side) {
    constexpr std::uint64_t usual = std::uint64_t{512} << 10, most = std::uint64_t{256} << 20;
    const Shape rest(shape.begin() + static_cast<std::ptrdiff_t>(side) + 1, shape.end());
    const std::uint64_t bytes = std::max<std::uint64_t>(1, product(rest)) * sizeof(double);
    std::uint64_t steps = std::max<std::uint64_t>(1, usual / bytes);
    const Hdf5Handle creation(H5Dget_create_plist(dataset), H5Pclose);
    std::array<hsize_t, H5S_MAX_RANK> chunk = {};
    if (H5Pget_layout(creation) == H5D_CHUNKED &&
        H5Pget_chunk(creation, H5S_MAX_RANK, chunk.data()) > static_cast<int>(side) && chunk[side] > 0) {
      const std::uint64_t whole = std::max<std::uint64_t>(1, steps / chunk[side]) * chunk[side];
      if (whole <= std::max<std::uint64_t>(1, most / bytes)) steps = whole;
    }
    return {side, 0, steps, bytes};
  }

  void put(const std::string& name, std::optional<std::uint64_t> row, hid_t type,
           isolation::NumberSink& numbers) const {
    const Shape found = shape(name);
    const Hdf5Handle dataset(open_dataset(name), H5Dclose), space(H5Dget_space(dataset), H5Sclose);
    const std::size_t side = row ? 1 : 0;
    if (row && (found.empty() || *row >= found[0])) throw Error(fmt::format("{} has no row {}", name, *row));
    const bool has_side = side < found.size();
    const std::uint64_t count =
        row ? product({found.begin() + 1, found.end()}) : product(found);  // 1 where no dimension is left
    const Windows windows = windows_of(dataset, found, has_side ? side : found.size());
    const std::uint64_t window = has_side ? windows.steps * windows.bytes_a_step : sizeof(double);
    numbers.put(count * sizeof(double), window, [&](std::uint64_t begin, std::span<std::byte> to) {
      std::vector<hsize_t> start(found.size(), 0), sizes(found.begin(), found.end());
      if (row) {
        start[0] = *row;
        sizes[0] = 1;
      }
      if (has_side) {
        start[side] = begin / windows.bytes_a_step;
        sizes[side] = to.size() / windows.bytes_a_step;
      }
      const hsize_t size = to.size() / sizeof(double);
      const Hdf5Handle memory(H5Screate_simple(1, &size, nullptr), H5Sclose);
      const bool selected = found.empty() || H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr,
                                                                 sizes.data(), nullptr) >= 0;
      if (!selected || H5Dread(dataset, type, memory, space, H5P_DEFAULT, to.data()) < 0)
        throw Error(fmt::format("{} cannot be read ({})", name, last_hdf5_problem()));
    });
  }

  /// Programs differ in the case of names: where there is none of this name, the one that differs by case.
  std::string stored_name(const std::string& group, const std::string& name) const {
    if (H5Aexists_by_name(file_, group.c_str(), name.c_str(), H5P_DEFAULT) > 0) return name;
    struct Search {
      const std::string& name;
      std::string found = {};
    } search{name};
    const auto compare = [](hid_t, const char* each, const H5A_info_t*, void* to) -> herr_t {
      auto& wanted = *static_cast<Search*>(to);
      if (::strcasecmp(each, wanted.name.c_str()) != 0) return 0;
      wanted.found = each;
      return 1;
    };
    H5Aiterate_by_name(file_, group.c_str(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, compare, &search,
                       H5P_DEFAULT);
    return search.found;
  }
  hid_t open_attribute(const std::string& group, const std::string& name) const {
    if (group != "/" && (!has(group) || leads_elsewhere(file_, group))) return -1;
    const std::string stored = stored_name(group, name);
    if (stored.empty()) return -1;
    return H5Aopen_by_name(file_, group.c_str(), stored.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }

  /// Of either kind of string; nothing where it is none or too long.
  static std::optional<std::string> text_of(hid_t attribute) {
    constexpr std::size_t longest = 1 << 16;
    const Hdf5Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
    if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return std::nullopt;
    if (H5Tis_variable_str(type) > 0) {  // as h5py writes them
      char* found = nullptr;
      if (H5Aread(attribute, type, &found) < 0 || found == nullptr) return std::nullopt;
      const std::string text(found, ::strnlen(found, longest + 1));
      H5free_memory(found);
      return text.size() > longest ? std::nullopt : std::optional(text);
    }
    const std::size_t size = H5Tget_size(type);
    if (size == 0 || size > longest) return std::nullopt;
    std::string text(size, '\0');
    if (H5Aread(attribute, type, text.data()) < 0) return std::nullopt;
    return text.substr(0, text.find('\0'));
  }

  /// Null if missing or neither numbers nor text. A number may stand in a string; NaN is for any other string.
  nlohmann::json attribute(const std::string& group, const std::string& name) const {
    const Hdf5Handle attribute(open_attribute(group, name), H5Aclose);
    if (attribute < 0) return nullptr;
    if (const auto text = text_of(attribute))
      return std::vector{parse_finite(trimmed(*text)).value_or(std::numeric_limits<double>::quiet_NaN())};
    const Hdf5Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
    const H5T_class_t kind = H5Tget_class(type);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 1 || count > 1000) return nullptr;
    std::vector<double> values(static_cast<std::size_t>(count));
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0) return nullptr;
    return values;
  }

  nlohmann::json text_attribute(const std::string& group, const std::string& name) const {
    const Hdf5Handle attribute(open_attribute(group, name), H5Aclose);
    if (attribute < 0) return nullptr;
    const auto text = text_of(attribute);
    return text ? nlohmann::json(*text) : nlohmann::json();
  }

  std::uint64_t file_bytes_ = 0;
  hid_t file_ = -1;
};

}  // namespace

std::unique_ptr<isolation::ServedReader> serve_hdf5(const std::filesystem::path& path) {
  return std::make_unique<ServedHdf5>(path);
}

}  // namespace isolume::nbody
