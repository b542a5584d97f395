#include "core/nbody/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/text_file.h"

namespace isolume::nbody {

namespace {

constexpr std::array<std::string_view, 7> names{"mass", "x", "y", "z", "vx", "vy", "vz"};
constexpr std::size_t least_columns = 4;
constexpr std::string_view layout = "Give the columns mass,x,y,z or mass,x,y,z,vx,vy,vz.";

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    cells.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

/// Reads one line after another.
class Table {
 public:
  explicit Table(const std::filesystem::path& path) : path_(path) {}

  void add(std::string_view line, std::size_t number) {
    const auto cells = split(line);
    if (columns_.empty()) {
      const bool named = std::ranges::find(names, cells.front()) != names.end();
      set_columns(cells, number, named);
      if (named) return;
    }
    if (cells.size() != columns_.size()) {
      throw InputError(path_, number,
                       fmt::format("expected {} columns, found {}", columns_.size(), cells.size()), layout);
    }
    for (std::size_t i = 0; i < cells.size(); ++i) columns_[i]->push_back(value(cells[i], number, i));
  }
  Bodies take(std::size_t lines) {
    if (bodies_.size() == 0) throw InputError(path_, lines, "there is no body in it", layout);
    return std::move(bodies_);
  }

 private:
  std::vector<double>* column(std::string_view name) {
    const std::array all{&bodies_.mass, &bodies_.x,  &bodies_.y, &bodies_.z,
                         &bodies_.vx,   &bodies_.vy, &bodies_.vz};
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? nullptr : all[static_cast<std::size_t>(found - names.begin())];
  }
  void set_columns(const std::vector<std::string_view>& cells, std::size_t number, bool named) {
    if (cells.size() != least_columns && cells.size() != names.size()) {
      throw InputError(path_, number, fmt::format("expected 4 or 7 columns, found {}", cells.size()), layout);
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      auto* const values = column(named ? cells[i] : names[i]);
      const bool twice = std::ranges::find(columns_, values) != columns_.end();
      if (values == nullptr || twice || (cells.size() == least_columns && cells[i].starts_with('v'))) {
        throw InputError(path_, number, fmt::format("column {} is named {}", i + 1, quoted(cells[i])),
                         layout);
      }
      columns_.push_back(values);
    }
  }
  double value(std::string_view cell, std::size_t number, std::size_t column) const {
    double value = 0;
    const char* const end = cell.data() + cell.size();
    // from_chars knows no leading plus.
    const char* const begin = cell.data() + (cell.starts_with('+') ? 1 : 0);
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value)) {
      throw InputError(path_, number, fmt::format("column {} is {}", column + 1, quoted(cell)),
                       "Give finite numbers.");
    }
    return value;
  }

  const std::filesystem::path& path_;
  Bodies bodies_;
  std::vector<std::vector<double>*> columns_;
};

}  // namespace

Bodies read_bodies_csv(const std::filesystem::path& path, const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  Table table(path);
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    if (++number % 4096 == 0) {
      progress.check();
      progress.report(static_cast<double>(begin) / static_cast<double>(text.size()), "bodies");
    }
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (!line.empty() && !line.starts_with('#')) table.add(line, number);
  }
  return table.take(number);
}

namespace {

/// A line of numbers for each row, all columns of one length.
void write_table(std::string_view header, const std::vector<const std::vector<double>*>& columns,
                 const std::filesystem::path& path, const jobs::Progress& progress) {
  AtomicFile file(path);
  file.stream() << header << '\n';
  fmt::memory_buffer lines;
  for (std::size_t row = 0; row < columns.front()->size(); ++row) {
    for (const auto* column : columns) {
      fmt::format_to(std::back_inserter(lines), "{}{}", column == columns.front() ? "" : ",", (*column)[row]);
    }
    lines.push_back('\n');
    if (lines.size() < std::size_t{1} << 20) continue;
    progress.check();
    file.stream().write(lines.data(), static_cast<std::streamsize>(lines.size()));
    lines.clear();
  }
  file.stream().write(lines.data(), static_cast<std::streamsize>(lines.size()));
  file.commit();
}

}  // namespace

void write_bodies_csv(const Bodies& bodies, const std::filesystem::path& path,
                      const jobs::Progress& progress) {
  std::vector<const std::vector<double>*> columns{&bodies.mass, &bodies.x, &bodies.y, &bodies.z};
  const bool moving = !bodies.vx.empty();
  if (moving) columns.insert(columns.end(), {&bodies.vx, &bodies.vy, &bodies.vz});
  write_table(moving ? "mass,x,y,z,vx,vy,vz" : "mass,x,y,z", columns, path, progress);
}

void write_forces_csv(const Forces& forces, const std::filesystem::path& path,
                      const jobs::Progress& progress) {
  write_table("ax,ay,az,potential", {&forces.ax, &forces.ay, &forces.az, &forces.potential}, path, progress);
}

}  // namespace isolume::nbody
