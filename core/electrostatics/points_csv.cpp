#include "core/electrostatics/points_csv.h"

#include <algorithm>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/molecules/line_reader.h"

namespace isolume::electrostatics {
namespace {

using molecules::LineReader;

/// The first three cells of a line, or fewer.
std::vector<std::string_view> first_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size() && cells.size() < 3;) {
    const std::size_t end = std::min(line.find_first_of(",;", begin), line.size());
    cells.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

bool is_number(std::string_view cell) {
  return molecules::parse_real(cell).has_value();
}

}  // namespace

Places read_places(const std::filesystem::path& path, const jobs::Progress& progress) {
  constexpr std::string_view layout = "Give a line with x,y,z in angstrom for each point.";
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  Places places;
  bool at_start = true;
  while (file.next()) {
    const std::string_view line = trimmed(file.line());
    if (line.empty() || line.starts_with('#')) continue;
    const auto cells = first_cells(line);
    const bool is_heading = at_start && std::ranges::none_of(cells, is_number);
    at_start = false;
    if (is_heading) continue;
    if (cells.size() < 3) file.fail(fmt::format("expected three numbers, found {}", cells.size()), layout);
    places.x.push_back(file.real(cells[0], "x"));
    places.y.push_back(file.real(cells[1], "y"));
    places.z.push_back(file.real(cells[2], "z"));
  }
  if (places.size() == 0) file.fail("there is no point in it", layout);
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
