// CCP4 and MRC2014: Cheng et al., J. Struct. Biol. 192, 146 (2015); https://www.ccpem.ac.uk/mrc_format/mrc2014.php
#include "core/electrostatics/maps/ccp4.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/packer.h"
#include "core/base/suffix.h"
#include "core/base/text_file.h"
#include "core/dispatch/dispatch.h"
#include "core/electrostatics/maps/plane_file.h"
#include "core/electrostatics/sums/units.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {
namespace {

constexpr std::size_t header_bytes = 1024;
constexpr int most_points_an_axis = 1 << 20;

/// Words of the header, counted from 1 as in the format's description.
enum Word : std::size_t {
  columns = 1,
  mode = 4,
  start = 5,
  intervals = 8,
  lengths = 11,
  angles = 14,
  axis_order = 17,
  least = 20,
  space_group = 23,
  symmetry_bytes = 24,
  version = 28,
  origin = 50,
  map_word = 53,
  machine = 54,
  deviation = 55,
  label_count = 56,
  labels = 57,
};

class Ccp4Header {
 public:
  Ccp4Header() : words_(header_bytes / 4, 0) {}
  Ccp4Header(std::string_view bytes, bool swapped) : Ccp4Header() {
    std::memcpy(words_.data(), bytes.data(), header_bytes);
    if (swapped) std::ranges::for_each(words_, [](auto& word) { word = __builtin_bswap32(word); });
  }
  int whole(std::size_t word) const { return std::bit_cast<int>(words_[word - 1]); }
  double real(std::size_t word) const { return std::bit_cast<float>(words_[word - 1]); }
  std::array<int, 3> wholes(std::size_t word) const {
    return {whole(word), whole(word + 1), whole(word + 2)};
  }
  Eigen::Vector3d reals(std::size_t word) const { return {real(word), real(word + 1), real(word + 2)}; }
  void set(std::size_t word, int value) { words_[word - 1] = std::bit_cast<std::uint32_t>(value); }
  void set(std::size_t word, double value) {
    words_[word - 1] = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  void set(std::size_t word, std::string_view text) {
    std::memcpy(&words_[word - 1], text.data(), text.size());
  }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(words_.data()), header_bytes}; }
  /// The axes of the cell, from 0, that run along columns, rows and sections.
  std::optional<std::array<int, 3>> order() const {
    auto axes = wholes(axis_order);
    auto sorted = axes;
    std::ranges::sort(sorted);
    if (sorted != std::array{1, 2, 3}) return std::nullopt;
    for (int& axis : axes) --axis;
    return axes;
  }

 private:
  std::vector<std::uint32_t> words_;
};

class Ccp4Reading {
 public:
  explicit Ccp4Reading(const std::filesystem::path& path) : path_(path), text_(read_text_file(path)) {
    if (text_.size() < header_bytes) fail("it is shorter than the header of 1024 bytes", copy);
    // The order of axes is a permutation of 1, 2 and 3 in only one of the byte orders.
    header_ = Ccp4Header(text_, false);
    if (!header_.order()) {
      swapped_ = true;
      header_ = Ccp4Header(text_, true);
    }
    if (!header_.order()) fail("its axes are not a permutation of 1, 2 and 3", "Give a map of CCP4 or MRC.");
    order_ = *header_.order();
    if (const int number = header_.whole(mode); number != 2)
      fail(fmt::format("its numbers are of mode {}", number), "Write the map with real numbers (mode 2).");
    read_grid();
  }

  const grid::Grid& grid() const { return grid_; }
  const Remarks& remarks() const { return remarks_; }

  grid::ScalarField read(const jobs::Progress& progress) const {
    const std::size_t count = grid_.point_count(), first = first_byte();
    dispatch::require_memory("The map", count * sizeof(float), "Use a coarser map.");
    FieldValues values(count);
    std::array<std::size_t, 3> stride{};  // of the field along columns, rows and sections
    const auto& n = grid_.dimensions;
    const std::array<std::size_t, 3> strides{1, static_cast<std::size_t>(n[0]),
                                             static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1])};
    for (std::size_t i = 0; i < 3; ++i) stride[i] = strides[static_cast<std::size_t>(order_[i])];
    const auto in_file = header_.wholes(columns);
    const char* from = text_.data() + first;
    for (int section = 0; section < in_file[2]; ++section) {
      progress.check();
      progress.report(static_cast<double>(section) / in_file[2], "reading the map");
      for (int row = 0; row < in_file[1]; ++row) {
        std::size_t to =
            static_cast<std::size_t>(section) * stride[2] + static_cast<std::size_t>(row) * stride[1];
        for (int column = 0; column < in_file[0]; ++column, to += stride[0], from += sizeof(float))
          values[to] = value_at(from);
      }
    }
    grid::ScalarField field{.grid = grid_, .values = {}, .name = "map", .unit = {}};
    field.values = std::move(values);
    // Text has no byte order: the header's first label is copied from the file unchanged.
    constexpr std::size_t label_length = 80;
    if (const auto unit = unit_in_brackets(std::string_view(text_).substr(
            sizeof(float) * (static_cast<std::size_t>(labels) - 1), label_length)))
      field.unit = to_text(*unit);
    return field;
  }

 private:
  static constexpr std::string_view copy = "Copy the file again.";

  [[noreturn]] void fail(std::string_view problem, std::string_view remedy) const {
    throw InputError(path_, 0, problem, remedy);
  }
  std::size_t first_byte() const {
    return header_bytes + static_cast<std::size_t>(header_.whole(symmetry_bytes));
  }

  float value_at(const char* from) const {
    std::uint32_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    const auto value = std::bit_cast<float>(swapped_ ? __builtin_bswap32(bits) : bits);
    if (!std::isfinite(value)) fail(fmt::format("{} is among its numbers", value), "Write the map anew.");
    return value;
  }

  void read_grid() {
    const auto in_file = header_.wholes(columns), first = header_.wholes(start),
               parts = header_.wholes(intervals);
    std::size_t bytes = sizeof(float);
    for (std::size_t i = 0; i < 3; ++i) {
      if (in_file[i] < 1 || in_file[i] > most_points_an_axis || parts[i] < 1)
        fail(fmt::format("it has {} points along an axis, of {} to the cell", in_file[i], parts[i]), copy);
      bytes *= static_cast<std::size_t>(in_file[i]);
      grid_.dimensions[static_cast<std::size_t>(order_[i])] = in_file[i];
    }
    if (header_.whole(symmetry_bytes) < 0 || first_byte() + bytes != text_.size())
      fail(fmt::format("it has {} bytes, but its header promises {}: 1024 of the header, {} of symmetry and "
                       "{} of numbers",
                       text_.size(), first_byte() + bytes, header_.whole(symmetry_bytes), bytes),
           copy);
    const auto cell = structures::cell_of(header_.reals(lengths), header_.reals(angles));
    if (!cell) fail("its cell spans no volume", "Correct the cell in its header.");
    Eigen::Vector3d index;
    for (int axis = 0; axis < 3; ++axis) {
      grid_.step.col(axis) = cell->col(axis) / parts[static_cast<std::size_t>(axis)];
      index[order_[static_cast<std::size_t>(axis)]] = first[static_cast<std::size_t>(axis)];
    }
    const Eigen::Vector3d by_indices = grid_.step * index;
    grid_.origin = header_.reals(origin);
    if (grid_.origin == Eigen::Vector3d::Zero()) grid_.origin = by_indices;
    if (!grid_.origin.allFinite() || grid_.origin.cwiseAbs().maxCoeff() > structures::most_magnitude)
      fail("its origin is not finite or too far away", "Correct the origin in its header.");
    // To the precision of a header's single-precision numbers.
    const double rounding = 1e-3 * grid_.spacing().minCoeff() + 1e-6 * grid_.origin.norm();
    if (index == Eigen::Vector3d::Zero() || (grid_.origin - by_indices).norm() <= rounding) return;
    const auto text = [](const Eigen::Vector3d& at) {
      return fmt::format("({:.2f}, {:.2f}, {:.2f}) Å", at.x() + 0.0, at.y() + 0.0, at.z() + 0.0);
    };
    remarks_.warn(fmt::format(
        "Its header places the first point twice, by ORIGIN (words 50 to 52) at {} and by NXSTART, NYSTART "
        "and NZSTART at {}: ORIGIN is used. Programs that read the indices, or add both, place it elsewhere.",
        text(grid_.origin), text(by_indices)));
  }

  std::filesystem::path path_;
  std::string text_;
  Ccp4Header header_;
  bool swapped_ = false;
  std::array<int, 3> order_{};
  grid::Grid grid_{.unit = grid::LengthUnit::angstrom};
  Remarks remarks_;
};

/// Position and orientation must be such that the format can express them; in angstrom.
grid::Grid upright(const grid::Grid& grid) {
  grid::Grid result = grid;
  const double to_angstrom = grid::shown_per_unit(grid.unit);
  result.origin *= to_angstrom;
  result.step *= to_angstrom;
  const auto& step = result.step;
  const double tiny = 1e-9 * step.cwiseAbs().maxCoeff();
  const bool is_upright = std::abs(step(1, 0)) <= tiny && std::abs(step(2, 0)) <= tiny &&
                          std::abs(step(2, 1)) <= tiny && step.diagonal().minCoeff() > 0;
  if (!is_upright)
    throw Error("A CCP4 map cannot store how this grid is rotated. Write .dx or .cube instead.");
  return result;
}

/// Statistics of a map for its header, in double precision. Sums are taken plane by plane across the first axis, so
/// that they are bitwise the same for the whole map and for parts of it.
class PlaneSums {
 public:
  /// Adds further planes after the previous ones.
  void add(const grid::ScalarField& planes) {
    const auto width = static_cast<std::size_t>(planes.grid.dimensions[0]);
    std::vector<Sums> sums(width);
    for (std::size_t row = 0; row < planes.values.size(); row += width) {
      for (std::size_t i = 0; i < width; ++i) {
        const double value = planes.values[row + i];
        low_ = std::min(low_, value);
        high_ = std::max(high_, value);
        sums[i].values += value;
        sums[i].squares += value * value;
      }
    }
    for (const auto& plane : sums) {
      all_.values += plane.values;
      all_.squares += plane.squares;
    }
    count_ += static_cast<double>(planes.values.size());
  }
  double low() const { return low_; }
  double high() const { return high_; }
  double mean() const { return all_.values / count_; }
  double deviation() const { return std::sqrt(std::max(0.0, all_.squares / count_ - mean() * mean())); }

 private:
  struct Sums {
    double values = 0, squares = 0;
  };
  Sums all_;
  double low_ = std::numeric_limits<double>::max(), high_ = std::numeric_limits<double>::lowest(), count_ = 0;
};

/// `grid`: upright.
Ccp4Header header_of(const grid::Grid& grid, std::string_view name, std::string_view unit,
                     const PlaneSums& sums) {
  Ccp4Header header;
  const auto angle = [&](int a, int b) {
    const auto u = grid.step.col(a), v = grid.step.col(b);
    const double cosine = u.dot(v) / (u.norm() * v.norm());
    return cosine == 0 ? 90 : std::acos(cosine) * 180 / M_PI;
  };
  const std::array<double, 3> between{angle(1, 2), angle(2, 0), angle(0, 1)};
  const Eigen::Vector3d index = grid.step.inverse() * grid.origin;
  const bool whole = (index - index.array().round().matrix()).cwiseAbs().maxCoeff() < 1e-4 &&
                     index.cwiseAbs().maxCoeff() < 1e9;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<Eigen::Index>(axis);
    const int n = grid.dimensions[axis];
    header.set(columns + axis, n);
    header.set(intervals + axis, n);
    header.set(start + axis, whole ? static_cast<int>(std::lround(index[i])) : 0);
    header.set(lengths + axis, grid.spacing(i) * n);
    header.set(angles + axis, between[axis]);
    header.set(axis_order + axis, static_cast<int>(axis) + 1);
    // Some programs read one of the two, others add them: only one is non-zero.
    header.set(origin + axis, whole ? 0.0 : grid.origin[i]);
  }
  header.set(mode, 2);
  header.set(least, sums.low());
  header.set(least + 1, sums.high());
  header.set(least + 2, sums.mean());
  header.set(space_group, 1);
  header.set(version, 20140);
  header.set(map_word, std::string_view("MAP "));
  header.set(machine, std::string_view("\x44\x44\0\0", 4));
  header.set(deviation, sums.deviation());
  header.set(label_count, 1);
  header.set(labels, std::string_view(fmt::format("{:<80.80}", fmt::format("{} ({})", name, unit))));
  return header;
}

}  // namespace

grid::ScalarField read_ccp4(const std::filesystem::path& path, const jobs::Progress& progress,
                            Remarks* remarks) {
  const Ccp4Reading reading(path);
  if (remarks != nullptr) remarks->add(reading.remarks());
  return reading.read(progress);
}

grid::Grid read_ccp4_grid(const std::filesystem::path& path, Remarks* remarks) {
  const Ccp4Reading reading(path);
  if (remarks != nullptr) remarks->add(reading.remarks());
  return reading.grid();
}

struct Ccp4Writer::State {
  grid::Grid grid;  ///< upright
  std::string name, unit;
  PlaneFile file;
  PlaneSums sums = {};
};

Ccp4Writer::Ccp4Writer(const std::filesystem::path& path, const grid::Grid& grid, std::string name,
                       std::string unit)
    : state_(new State{upright(grid), std::move(name), std::move(unit),
                       PlaneFile(path, grid.dimensions, header_bytes)}) {}

Ccp4Writer::~Ccp4Writer() = default;

void Ccp4Writer::put(const grid::ScalarField& planes, const jobs::Progress& progress) {
  state_->file.put(planes, progress);
  state_->sums.add(planes);
}

void Ccp4Writer::commit() {
  const auto& [grid, name, unit, file, sums] = *state_;
  state_->file.commit(header_of(grid, name, unit, sums).bytes());
}

namespace {

void write_packed_ccp4(const grid::ScalarField& field, const std::filesystem::path& path,
                       const jobs::Progress& progress) {
  PlaneSums sums;
  sums.add(field);
  const auto header = header_of(upright(field.grid), field.name, field.unit, sums);
  AtomicFile file(path);
  Packer packer(file.stream(), Packing::gzip);
  packer.put(header.bytes().data(), header_bytes);
  const auto& n = field.grid.dimensions;
  const std::size_t section = static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]);
  for (int k = 0; k < n[2]; ++k) {
    progress.check();
    progress.report(static_cast<double>(k) / n[2], "writing the map");
    packer.put(field.values.data() + section * static_cast<std::size_t>(k), section * sizeof(float));
  }
  packer.finish();
  file.commit();
}

}  // namespace

void write_ccp4(const grid::ScalarField& field, const std::filesystem::path& path,
                const jobs::Progress& progress) {
  if (suffix_of(path) == ".gz") return write_packed_ccp4(field, path, progress);
  Ccp4Writer writer(path, field.grid, field.name, field.unit);
  writer.put(field, progress);
  writer.commit();
}

}  // namespace isolume::electrostatics
