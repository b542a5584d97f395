#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/text.h"
#include "core/nbody/files/gadget.h"
#include "core/nbody/files/snapshot.h"

/// Formats 1 and 2 of GADGET-2 (users' guide, section 6): Fortran records, with their length in bytes before and
/// after them; in format 2 a record of 8 bytes comes before each, with the name of the block.
namespace isolume::nbody {
namespace {

constexpr std::size_t binary_types = 6;
constexpr std::uint32_t header_bytes = 256, name_bytes = 8;
using BinaryCounts = std::array<std::uint64_t, binary_types>;

template <class Value>
Value from_bytes(const char* bytes, bool swapped) {
  std::array<char, sizeof(Value)> held;
  std::memcpy(held.data(), bytes, sizeof(Value));
  if (swapped) std::ranges::reverse(held);
  return std::bit_cast<Value>(held);
}

struct Record {
  std::string name;  ///< "POS"; empty in format 1
  std::streamoff begin = 0;
  std::uint64_t bytes = 0;
};

/// One file, of which only the header is in memory.
class GadgetRecords {
 public:
  explicit GadgetRecords(const std::filesystem::path& path) : path_(path), stream_(open_input(path)) {
    std::error_code failed;
    file_bytes_ = std::filesystem::file_size(path, failed);
    if (failed || !stream_) fail("cannot be opened", "Check its name and its permissions.");
    const std::uint32_t first = marker_at(0, false);
    swapped_ = first != header_bytes && first != name_bytes;
    for (std::streamoff at = 0; static_cast<std::uint64_t>(at) < file_bytes_;) at = add_record(at);
    if (records_.empty() || records_.front().bytes != header_bytes)
      fail("there is no header of 256 bytes in it", "Give a GADGET snapshot of format 1, 2 or 3.");
    header_ = bytes_of(records_.front(), 0, header_bytes);
  }

  const std::filesystem::path& path() const { return path_; }
  bool named() const { return named_; }
  const std::vector<Record>& records() const { return records_; }
  double real(std::size_t at) const { return from_bytes<double>(header_.data() + at, swapped_); }
  std::uint32_t count(std::size_t at) const {
    return from_bytes<std::uint32_t>(header_.data() + at, swapped_);
  }

  std::vector<double> reals(const Record& record, std::uint64_t from, std::uint64_t count,
                            std::uint64_t width) {
    std::vector<double> values;
    values.reserve(count);
    in_pieces(record, from, count, width, [&](const char* bytes) {
      values.push_back(width == 4 ? static_cast<double>(from_bytes<float>(bytes, swapped_))
                                  : from_bytes<double>(bytes, swapped_));
    });
    return values;
  }
  void append_ids(const Record& record, std::uint64_t from, std::uint64_t count, std::uint64_t width,
                  std::vector<std::uint64_t>& ids) {
    in_pieces(record, from, count, width, [&](const char* bytes) {
      ids.push_back(width == 4 ? from_bytes<std::uint32_t>(bytes, swapped_)
                               : from_bytes<std::uint64_t>(bytes, swapped_));
    });
  }
  [[noreturn]] void fail(const std::string& problem,
                         const std::string& remedy = "Copy the file again.") const {
    throw InputError(path_, 0, problem, remedy);
  }

 private:
  std::uint32_t marker_at(std::streamoff at, bool swapped) {
    std::array<char, 4> bytes;
    stream_.seekg(at);
    if (!stream_.read(bytes.data(), bytes.size())) fail(fmt::format("it ends at byte {}", file_bytes_));
    return from_bytes<std::uint32_t>(bytes.data(), swapped);
  }
  /// Returns the offset of the next record.
  std::streamoff add_record(std::streamoff at) {
    const std::uint64_t bytes = marker_at(at, swapped_);
    const auto begin = at + 4;
    if (static_cast<std::uint64_t>(begin) + bytes + 4 > file_bytes_)
      fail(fmt::format("the record at byte {} should have {} bytes, more than there are", at, bytes));
    const auto after = begin + static_cast<std::streamoff>(bytes);
    if (marker_at(after, swapped_) != bytes)
      fail(fmt::format("the record at byte {} does not end with its length", at));
    if (bytes == name_bytes && name_.empty() && (named_ || at == 0)) {
      named_ = true;
      name_ = std::string(trimmed(bytes_of({{}, begin, bytes}, 0, 4)));
      if (name_.empty()) name_ = "?";
    } else {
      records_.push_back({std::exchange(name_, {}), begin, bytes});
    }
    return after + 4;
  }
  std::string bytes_of(const Record& record, std::uint64_t from, std::uint64_t count) {
    std::string bytes(count, '\0');
    stream_.seekg(record.begin + static_cast<std::streamoff>(from));
    if (!stream_.read(bytes.data(), static_cast<std::streamsize>(count)))
      fail(fmt::format("{} bytes could not be read", count));
    return bytes;
  }
  template <class Take>
  void in_pieces(const Record& record, std::uint64_t from, std::uint64_t count, std::uint64_t width,
                 const Take& take) {
    constexpr std::uint64_t at_once = 1 << 18;
    for (std::uint64_t done = 0; done < count; done += at_once) {
      const std::uint64_t now = std::min(at_once, count - done);
      const std::string bytes = bytes_of(record, (from + done) * width, now * width);
      for (std::uint64_t i = 0; i < now; ++i) take(bytes.data() + i * width);
    }
  }

  std::filesystem::path path_;
  std::ifstream stream_;
  std::uint64_t file_bytes_ = 0;
  bool swapped_ = false, named_ = false;
  std::string name_, header_;
  std::vector<Record> records_;
};

/// Counts in one file, by type.
BinaryCounts counts_here(const GadgetRecords& file) {
  BinaryCounts counts;
  for (std::size_t type = 0; type < binary_types; ++type) counts[type] = file.count(4 * type);
  return counts;
}
double table_mass(const GadgetRecords& file, std::size_t type) {
  return file.real(24 + 8 * type);
}

SnapshotHeader header_of(const GadgetRecords& file) {
  return {.time = file.real(72),
          .redshift = file.real(80),
          .box_size = file.real(128),
          .omega_matter = file.real(136),
          .omega_lambda = file.real(144),
          .hubble = file.real(152)};
}

struct Block {
  const Record* record = nullptr;
  std::uint64_t width = 0;  ///< bytes per number
};

/// The blocks that are used: identified by their names, or by the order in which GADGET writes them.
class Blocks {
 public:
  Blocks(const GadgetRecords& file, const BinaryCounts& counts) : file_(file) {
    const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    std::uint64_t with_masses = 0;
    for (std::size_t type = 0; type < binary_types; ++type) {
      if (!(table_mass(file, type) > 0)) with_masses += counts[type];
    }
    positions = find("POS", 1, 3 * all);
    velocities = find("VEL", 2, 3 * all);
    // Without names, the block after the velocities is that of the ids, unless it is missing, too.
    if (file.named() ? has("ID") : with_masses > 0 || file.records().size() > 3) ids = find("ID", 3, all);
    if (with_masses > 0) masses = find("MASS", 4, with_masses);
    for (std::size_t i = 1; i < file.records().size(); ++i) {
      if (std::ranges::find(used_, i) == used_.end())
        unused.push_back(file.named() ? file.records()[i].name : fmt::format("number {}", i));
    }
  }

  Block positions, velocities, ids, masses;
  std::vector<std::string> unused;

 private:
  bool has(std::string_view name) const {
    return std::ranges::find(file_.records(), name, &Record::name) != file_.records().end();
  }
  Block find(std::string_view name, std::size_t place, std::uint64_t numbers) {
    const auto& records = file_.records();
    std::size_t number = place;
    if (file_.named()) {
      const auto found = std::ranges::find(records, name, &Record::name);
      number = static_cast<std::size_t>(found - records.begin());
    }
    constexpr const char* remedy = "Write the file again with the program that made it.";
    if (number >= records.size()) file_.fail(fmt::format("it has no block {}", name), remedy);
    const Record& record = records[number];
    if (numbers == 0 || (record.bytes != 4 * numbers && record.bytes != 8 * numbers)) {
      file_.fail(fmt::format("its block {} has {} bytes, which are not those of {} numbers", name,
                             record.bytes, numbers),
                 remedy);
    }
    used_.push_back(number);
    return {&record, record.bytes / numbers};
  }

  const GadgetRecords& file_;
  std::vector<std::size_t> used_;
};

/// Reads bodies of one type from one file; `first` is the index of the first of them in the file, and `first_mass`
/// its index among those with individual masses.
void add_binary_type(GadgetRecords& file, const Blocks& blocks, std::size_t type, const BinaryCounts& counts,
                     InitialConditions& to) {
  std::uint64_t first = 0, first_mass = 0;
  for (std::size_t before = 0; before < type; ++before) {
    first += counts[before];
    if (!(table_mass(file, before) > 0)) first_mass += counts[before];
  }
  const std::uint64_t count = counts[type];
  Bodies& bodies = to.bodies;
  const auto add = [&](const Block& block, const std::array<std::vector<double>*, 3>& axes) {
    const auto values = file.reals(*block.record, 3 * first, 3 * count, block.width);
    for (std::size_t i = 0; i < values.size(); ++i) axes[i % 3]->push_back(values[i]);
  };
  add(blocks.positions, {&bodies.x, &bodies.y, &bodies.z});
  add(blocks.velocities, {&bodies.vx, &bodies.vy, &bodies.vz});
  const double same = table_mass(file, type);
  const auto masses = same > 0 ? std::vector<double>(count, same)
                               : file.reals(*blocks.masses.record, first_mass, count, blocks.masses.width);
  require_masses(file.path(), fmt::format("block MASS, type {}", type), masses);
  bodies.mass.insert(bodies.mass.end(), masses.begin(), masses.end());
  if (blocks.ids.record != nullptr)
    file.append_ids(*blocks.ids.record, first, count, blocks.ids.width, to.id);
}

}  // namespace

bool is_gadget_binary(const std::filesystem::path& path) {
  const std::string start = start_of_file(path, header_bytes + 8);
  if (start.size() < header_bytes + 8) return false;
  for (const bool swapped : {false, true}) {
    const auto at = [&](std::size_t place) {
      return from_bytes<std::uint32_t>(start.data() + place, swapped);
    };
    if (at(0) == name_bytes && at(16) == header_bytes) return true;
    if (at(0) == header_bytes && at(4 + header_bytes) == header_bytes) return true;
  }
  return false;
}

InitialConditions read_gadget_binary(const std::filesystem::path& path, UnitsChoice units) {
  InitialConditions found;
  found.origins.clear();
  const GadgetRecords given(path);
  const auto paths = files_of_snapshot(path, given.count(124) > 0 ? given.count(124) : 1);
  found.files = paths;
  BinaryCounts sums = {}, told = {};
  for (const auto& each : paths) {
    const BinaryCounts here = counts_here(GadgetRecords(each));
    for (std::size_t type = 0; type < binary_types; ++type) sums[type] += here[type];
  }
  for (std::size_t type = 0; type < binary_types; ++type)
    told[type] = given.count(96 + 4 * type) + (std::uint64_t{given.count(168 + 4 * type)} << 32);
  // Initial conditions often leave the totals empty.
  if (told != BinaryCounts{} && told != sums)
    given.fail("its header says that there are more or fewer bodies in all than there are",
               "Put all files of the snapshot into one folder.");
  make_room_for_snapshot(path, std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}), found);
  for (std::size_t type = 0; type < binary_types; ++type) {
    const std::size_t before = found.bodies.size();
    for (const auto& each : paths) {
      GadgetRecords file(each);
      const BinaryCounts here = counts_here(file);
      if (here[type] == 0) continue;
      const Blocks blocks(file, here);
      if (!blocks.unused.empty()) {
        found.remarks.dropped(fmt::format("Blocks that are not used: {}.", first_names(blocks.unused)),
                              blocks.unused.size());
      }
      add_binary_type(file, blocks, type, here, found);
    }
    add_snapshot_origin(type, before, found);
  }
  drop_incomplete_ids("files", found);
  if (found.id.empty())
    found.remarks.assumed("The snapshot has no ids: the bodies are numbered 1, 2, 3 ... in its order.");
  take_units(header_of(given), units, path, found);
  return found;
}

}  // namespace isolume::nbody
