#include "core/electrostatics/potential/points_csv.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/molecules/line_reader.h"

namespace isolume::electrostatics {
namespace {

using molecules::LineReader;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find_first_of(",;", begin), line.size());
    std::string_view cell = trimmed(line.substr(begin, end - begin));
    if (cell.size() > 1 && cell.starts_with('"') && cell.ends_with('"'))
      cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    begin = end + 1;
  }
  return cells;
}

bool is_number(std::string_view cell) {
  return molecules::parse_real(cell).has_value();
}

/// "x", "X (angstrom)", "x_angstrom".
bool is_named(std::string_view cell, char axis) {
  const bool is_alone = cell.size() == 1 || std::isalnum(static_cast<unsigned char>(cell[1])) == 0;
  return !cell.empty() && lower_case(cell[0]) == axis && is_alone;
}

using Columns = std::array<std::size_t, 3>;

/// Those of x, y and z in a heading; nothing if it does not name all three.
std::optional<Columns> columns_in(const std::vector<std::string_view>& heading) {
  Columns columns{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto found =
        std::ranges::find_if(heading, [&](std::string_view cell) { return is_named(cell, "xyz"[axis]); });
    if (found == heading.end()) return std::nullopt;
    columns[axis] = static_cast<std::size_t>(found - heading.begin());
  }
  return columns;
}

}  // namespace

Places read_places(const std::filesystem::path& path, Remarks& remarks, const jobs::Progress& progress) {
  constexpr std::string_view layout = "Give a line with x,y,z in angstrom for each point.";
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  Places places;
  Columns columns{0, 1, 2};
  std::vector<std::string> names;  // of the heading
  bool at_start = true;
  std::size_t most_cells = 0;
  while (file.next()) {
    const std::string_view line = trimmed(file.line());
    if (line.empty() || line.starts_with('#')) continue;
    const auto cells = cells_of(line);
    if (std::exchange(at_start, false) && std::ranges::none_of(cells, is_number)) {
      names.assign(cells.begin(), cells.end());
      const auto found = columns_in(cells);
      if (!found && cells.size() != columns.size())
        file.fail("the heading does not name the columns x, y and z", layout);
      columns = found.value_or(columns);
      continue;
    }
    const std::size_t last = std::ranges::max(columns);
    if (cells.size() <= last)
      file.fail(fmt::format("expected {} columns, found {}", last + 1, cells.size()), layout);
    most_cells = std::max(most_cells, cells.size());
    places.x.push_back(file.real(cells[columns[0]], "x"));
    places.y.push_back(file.real(cells[columns[1]], "y"));
    places.z.push_back(file.real(cells[columns[2]], "z"));
  }
  if (places.size() == 0) file.fail("there is no point in it", layout);
  std::vector<std::string> unused;
  for (std::size_t i = 0; i < most_cells; ++i) {
    if (std::ranges::find(columns, i) != columns.end()) continue;
    unused.push_back(i < names.size() && !names[i].empty() ? names[i] : fmt::format("number {}", i + 1));
  }
  if (!unused.empty())
    remarks.dropped(fmt::format("Columns that are not used: {}.", first_names(unused)), unused.size());
  return places;
}

void write_potentials(const Places& places, std::span<const double> potential, std::string_view unit,
                      const std::filesystem::path& path, const jobs::Progress& progress) {
  AtomicFile file(path);
  file.stream() << "# x, y, z in angstrom; potential in " << unit << "\nx,y,z,potential\n";
  fmt::memory_buffer lines;
  const auto flush = [&] {
    progress.check();
    file.stream().write(lines.data(), static_cast<std::streamsize>(lines.size()));
    lines.clear();
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    fmt::format_to(std::back_inserter(lines), "{},{},{},{}\n", places.x[i], places.y[i], places.z[i],
                   potential[i]);
    if (lines.size() > std::size_t{1} << 20) flush();
  }
  flush();
  file.commit();
}

}  // namespace isolume::electrostatics
