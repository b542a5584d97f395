#include "core/electrostatics/maps/opendx.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/blocked_range.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/base/packer.h"
#include "core/base/suffix.h"
#include "core/base/text_file.h"
#include "core/dispatch/dispatch.h"
#include "core/electrostatics/sums/units.h"
#include "core/molecules/line_reader.h"

namespace isolume::electrostatics {
namespace {

using molecules::LineReader;

constexpr long most_points_a_side = 1 << 20;

/// Position of the word; nothing if it is missing.
std::optional<std::size_t> find(const std::vector<std::string_view>& words, std::string_view word) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - words.begin());
}

class Reader {
 public:
  Reader(const std::filesystem::path& path, std::string_view text, const jobs::Progress& progress)
      : file_(path, text, progress), progress_(progress) {}

  /// Reads up to the line that announces the numbers; returns their count.
  std::size_t read_header() {
    int steps = 0;
    bool has_origin = false;
    while (file_.next()) {
      const auto& words = file_.words();
      if (words.empty()) continue;
      if (words.front().starts_with('#')) {
        take_unit();
      } else if (words.front() == "origin") {
        field_.grid.origin = three("the origin");
        has_origin = true;
      } else if (words.front() == "delta") {
        if (steps == 3) file_.fail("there are more than three steps");
        field_.grid.step.col(steps++) = three("the step");
      } else if (find(words, "gridpositions")) {
        field_.grid.dimensions = counts("points");
      } else if (find(words, "gridconnections")) {
        connections_ = counts("points that cells connect");
        connections_line_ = file_.line_number();
      } else if (find(words, "array")) {
        if (steps < 3 || !has_origin || field_.grid.dimensions[0] == 0)
          file_.fail("the numbers come before counts, origin and three steps of the grid");
        if (!(field_.grid.cell_volume() > 0)) file_.fail("the steps of the grid span no volume");
        if (connections_ && *connections_ != field_.grid.dimensions) {
          file_.fail_at(connections_line_,
                        fmt::format("gridconnections counts {}, but gridpositions counts {}",
                                    fmt::join(*connections_, " "), fmt::join(field_.grid.dimensions, " ")),
                        "Both count the points along three axes: correct them, or export the map again.");
        }
        return items();
      }
    }
    file_.fail("there are no numbers on a regular grid in it");
  }

  grid::ScalarField read() {
    const std::size_t count = read_header();
    if (count != field_.grid.point_count()) {
      file_.fail(
          fmt::format("{} numbers are announced for a grid of {} points", count, field_.grid.point_count()));
    }
    // A number and its separator take at least two characters.
    if (count > file_.remaining() / 2 + 1)
      file_.fail(fmt::format("{} numbers do not fit into the rest of the file", count));
    dispatch::require_memory("The map", count * sizeof(float), "Use a coarser map.");
    FieldValues values(count);
    const auto n = std::array{static_cast<std::size_t>(field_.grid.dimensions[0]),
                              static_cast<std::size_t>(field_.grid.dimensions[1]),
                              static_cast<std::size_t>(field_.grid.dimensions[2])};
    for (std::size_t at = 0; at < count;) {
      file_.require("a number of the map");
      for (const std::string_view word : file_.words()) {
        if (at == count) file_.fail("there are more numbers than were announced");
        // The last axis runs fastest.
        const std::size_t k = at % n[2], j = at / n[2] % n[1], i = at / n[2] / n[1];
        const double value = file_.real(word, "a number of the map");
        if (std::abs(value) > static_cast<double>(std::numeric_limits<float>::max()))
          file_.fail(fmt::format("{} is too large", quoted(word)));
        values[i + n[0] * (j + n[1] * k)] = static_cast<float>(value);
        ++at;
      }
      if (file_.line_number() % 4096 == 0)
        progress_.report(static_cast<double>(at) / static_cast<double>(count), "reading the map");
    }
    refuse_more_numbers(count);
    field_.values = std::move(values);
    field_.name = "map";
    return std::move(field_);
  }
  const grid::Grid& grid() const { return field_.grid; }

 private:
  /// Only attributes and other objects may follow the numbers, which must not be those of cells.
  void refuse_more_numbers(std::size_t count) {
    bool of_numbers = true;  // attributes up to the next object
    while (file_.next()) {
      const auto& words = file_.words();
      of_numbers = of_numbers && (words.empty() || words.front() != "object");
      if (of_numbers && find(words, "\"dep\"") && find(words, "\"connections\"")) {
        file_.fail("its numbers belong to cells between the points (dep is \"connections\")",
                   "Export the map at the points (dep \"positions\").");
      }
      if (!words.empty() && molecules::parse_real(words.front()))
        file_.fail(fmt::format("there are more numbers than the {} that were announced", count),
                   "Header and numbers do not belong together: export the map again.");
    }
  }
  Eigen::Vector3d three(std::string_view what) {
    const auto& words = file_.words();
    if (words.size() != 4)
      file_.fail(fmt::format("expected three numbers of {}, found {}", what, words.size() - 1));
    return {file_.real(words[1], what), file_.real(words[2], what), file_.real(words[3], what)};
  }
  std::array<int, 3> counts(std::string_view what) {
    const auto& words = file_.words();
    const auto at = find(words, "counts");
    if (!at || words.size() < *at + 4)
      file_.fail(fmt::format("expected counts of {} along three axes", what));
    std::array<int, 3> found;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      found[axis] = static_cast<int>(
          file_.integer(words[*at + 1 + axis], "the count of points", 1, most_points_a_side));
    }
    return found;
  }
  std::size_t items() {
    const auto& words = file_.words();
    const auto rank = find(words, "rank"), at = find(words, "items");
    if (rank && (words.size() < *rank + 2 || words[*rank + 1] != "0"))
      file_.fail("its numbers are vectors or tensors", "Give a map of one number at each point (rank 0).");
    if (find(words, "binary") || find(words, "ieee") || find(words, "lsb") || find(words, "msb"))
      file_.fail("its numbers are binary", "Write the map as text.");
    if (!at || words.size() < *at + 2) file_.fail("expected how many items there are");
    return static_cast<std::size_t>(file_.integer(words[*at + 1], "the number of items", 1, 1L << 60));
  }
  void take_unit() {
    const auto unit = unit_in_brackets(file_.line());
    if (field_.unit.empty() && unit) field_.unit = to_text(*unit);
  }

  LineReader file_;
  jobs::Progress progress_;
  std::optional<std::array<int, 3>> connections_;  ///< counts of gridconnections
  std::size_t connections_line_ = 0;
  grid::ScalarField field_{
      .grid = {.unit = grid::LengthUnit::angstrom}, .values = {}, .name = {}, .unit = {}};
};

}  // namespace

grid::ScalarField read_opendx(const std::filesystem::path& path, const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  Reader reader(path, text, progress);
  return reader.read();
}

grid::Grid read_opendx_grid(const std::filesystem::path& path, const jobs::Progress& progress) {
  const auto grid_in = [&](const std::string& text) {
    Reader reader(path, text, progress);
    reader.read_header();
    return reader.grid();
  };
  constexpr std::size_t usual_header = std::size_t{64} << 10;
  const std::string start = read_text_start(path, usual_header);
  try {
    return grid_in(start);
  } catch (const InputError&) {  // later lines may still be valid
    if (start.size() < usual_header) throw;
  }
  return grid_in(read_text_file(path));
}

struct OpenDxWriter::State {
  AtomicFile file;
  std::optional<Packer> packer;
  fmt::memory_buffer out;
  std::size_t left;  ///< numbers still to come
  std::size_t column = 0;

  State(const std::filesystem::path& path, std::size_t count) : file(path), left(count) {
    if (suffix_of(path) == ".gz") packer.emplace(file.stream(), Packing::gzip);
  }
  void write(fmt::memory_buffer& text) {
    if (packer) {
      packer->put(text.data(), text.size());
    } else {
      file.stream().write(text.data(), static_cast<std::streamsize>(text.size()));
    }
    text.clear();
  }
};

OpenDxWriter::~OpenDxWriter() = default;

OpenDxWriter::OpenDxWriter(const std::filesystem::path& path, const grid::Grid& grid, std::string_view name,
                           std::string_view unit)
    : state_(std::make_unique<State>(path, grid.point_count())) {
  const double angstrom = grid::shown_per_unit(grid.unit);
  const auto& n = grid.dimensions;
  const auto to = std::back_inserter(state_->out);
  const auto three = [&](const char* what, const Eigen::Vector3d& v) {
    fmt::format_to(to, "{} {:.9g} {:.9g} {:.9g}\n", what, v.x() * angstrom, v.y() * angstrom,
                   v.z() * angstrom);
  };
  fmt::format_to(to, "# {} ({}), lengths in angstrom\n", name.empty() ? "potential" : name, unit);
  fmt::format_to(to, "object 1 class gridpositions counts {} {} {}\n", n[0], n[1], n[2]);
  three("origin", grid.origin);
  for (int axis = 0; axis < 3; ++axis) three("delta", grid.step.col(axis));
  fmt::format_to(to, "object 2 class gridconnections counts {} {} {}\n", n[0], n[1], n[2]);
  fmt::format_to(to, "object 3 class array type double rank 0 items {} data follows\n", state_->left);
}

void OpenDxWriter::put(const grid::ScalarField& planes, const jobs::Progress& progress) {
  const auto& n = planes.grid.dimensions;
  if (planes.grid.point_count() > state_->left)
    throw Error("There are more numbers than the map has points.");
  const std::size_t in_plane = static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]);
  const auto format = [&](int i, std::size_t column, fmt::memory_buffer& into) {
    for (int j = 0; j < n[1]; ++j) {
      for (int k = 0; k < n[2]; ++k) {
        fmt::format_to(std::back_inserter(into), "{:.6e}", planes.at(i, j, k));
        into.push_back(++column % 3 == 0 ? '\n' : ' ');
      }
    }
  };
  // Planes across x: this many are adjacent in memory; fewer where their text would be too long.
  constexpr std::size_t most_together = 16, most_text = std::size_t{64} << 20, a_number = 14;
  const int together =
      static_cast<int>(std::clamp(most_text / (a_number * in_plane), std::size_t{1}, most_together));
  std::array<fmt::memory_buffer, most_together> texts;
  state_->write(state_->out);
  for (int first = 0; first < n[0]; first += together) {
    progress.report(static_cast<double>(first) / n[0], "writing the map");
    const int count = std::min(together, n[0] - first);
    handover::parallel_for(tbb::blocked_range<int>(0, count, 1), [&](const auto& range) {
      for (int i = range.begin(); i != range.end(); ++i)
        format(first + i, state_->column + static_cast<std::size_t>(i) * in_plane,
               texts[static_cast<std::size_t>(i)]);
    });
    state_->column += static_cast<std::size_t>(count) * in_plane;
    for (auto& text : std::span(texts).first(static_cast<std::size_t>(count))) {
      progress.check();
      state_->write(text);
    }
  }
  state_->left -= planes.grid.point_count();
  if (!state_->file.stream()) state_->file.commit();  // reports the reason before more is computed
}

void OpenDxWriter::commit() {
  if (state_->left > 0) throw Error(fmt::format("{} numbers of the map are missing.", state_->left));
  fmt::format_to(
      std::back_inserter(state_->out),
      "{}attribute \"dep\" string \"positions\"\n"
      "object \"regular positions regular connections\" class field\n"
      "component \"positions\" value 1\ncomponent \"connections\" value 2\ncomponent \"data\" value 3\n",
      state_->column % 3 == 0 ? "" : "\n");
  state_->write(state_->out);
  if (state_->packer) state_->packer->finish();
  state_->file.commit();
}

void write_opendx(const grid::ScalarField& field, const std::filesystem::path& path,
                  const jobs::Progress& progress) {
  OpenDxWriter writer(path, field.grid, field.name, field.unit);
  writer.put(field, progress);
  writer.commit();
}

}  // namespace isolume::electrostatics
