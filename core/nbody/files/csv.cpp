#include "core/nbody/files/csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/atomic_file.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/dispatch/dispatch.h"
#include "core/molecules/line_reader.h"

namespace isolume::nbody {

namespace {

/// The columns that a table may have: the first `least` are required; each group of optional columns must be
/// complete.
struct Layout {
  std::vector<std::string_view> names;
  std::size_t least;
  std::vector<std::size_t> groups;  ///< number of columns in each
  std::string_view row;             ///< what a line describes
  std::string_view label;           ///< column of text; empty: none
  std::string_view remedy;          ///< advice for error messages
};
const Layout& bodies_layout() {
  static const Layout layout{
      {"mass", "x", "y", "z", "vx", "vy", "vz", "radius"},
      4,
      {3, 1},
      "body",
      "name",
      "Give the columns mass,x,y,z or mass,x,y,z,vx,vy,vz, and radius where it is known."};
  return layout;
}
const Layout& places_layout() {
  static const Layout layout{{"x", "y", "z"}, 3, {}, "place", {}, "Give the columns x,y,z."};
  return layout;
}

/// A cell in quotes may hold commas, and quotes that are doubled.
std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    std::size_t from = line.find_first_not_of(" \t", begin);
    const bool in_quotes = from < line.size() && line[from] == '"';
    while (in_quotes) {
      from = std::min(line.find('"', from + 1), line.size());
      if (!line.substr(from).starts_with("\"\"")) break;
      ++from;
    }
    if (!in_quotes) from = begin;
    const std::size_t end = std::min(line.find(',', from), line.size());
    cells.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

bool is_quoted(std::string_view cell) {
  return cell.size() > 1 && cell.front() == '"' && cell.back() == '"';
}

/// For numbers and names of columns, which have no quotes in them.
std::string_view without_quotes(std::string_view cell) {
  return is_quoted(cell) ? trimmed(cell.substr(1, cell.size() - 2)) : cell;
}

/// Reads one line after another.
class Table {
 public:
  /// `most_rows`: upper limit of the number of rows.
  Table(const std::filesystem::path& path, const Layout& layout, std::size_t most_rows)
      : path_(path), layout_(layout), most_rows_(most_rows), values_(layout.names.size()) {}

  /// A line that begins with #: the names of the columns may stand in one before the first row, as numpy's savetxt
  /// writes them.
  void add_comment(std::string_view line, std::size_t number) {
    if (!columns_.empty()) return;
    line.remove_prefix(std::min(line.find_first_not_of('#'), line.size()));
    auto cells = split(line);
    const bool listed = cells.size() > 1;
    if (!listed) molecules::split_words(line, cells);
    if (known(cells) < (listed ? 1 : 2)) return;  // a word such as mass is usual in prose
    commented_ = std::move(cells);
    commented_line_ = number;
  }
  void add(std::string_view line, std::size_t number) {
    const auto cells = split(line);
    if (columns_.empty()) {
      const bool named = known(cells) > 0;
      if (named)
        set_named_columns(cells, number);
      else if (commented_.size() == cells.size())
        set_named_columns(commented_, commented_line_);
      else
        set_columns(cells.size(), number);
      make_room();
      if (named) return;
    }
    if (cells.size() != columns_.size()) {
      throw InputError(path_, number,
                       fmt::format("expected {} columns, found {}", columns_.size(), cells.size()),
                       layout_.remedy);
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns_[i] == label) {
        add_label(cells[i]);
      } else if (columns_[i] != unused) {
        values_[columns_[i]].push_back(value(cells[i], number, i));
      }
    }
  }
  void remark_on_columns(Remarks& remarks) const {
    if (!unused_names_.empty()) {
      remarks.dropped(fmt::format("Columns that are not used: {}.", first_names(unused_names_)),
                      unused_names_.size());
    }
    if (too_many_labels_) {
      remarks.dropped(fmt::format("The column {} is not used: it has more than {} different names.",
                                  layout_.label, most_labels));
    }
    if (!assumed_) return;
    const auto end = layout_.names.begin() + static_cast<std::ptrdiff_t>(columns_.size());
    remarks.assumed(fmt::format("The table does not name its columns: they are taken as {}.",
                                fmt::join(layout_.names.begin(), end, ", ")));
  }
  /// In the order of the layout's names.
  std::vector<std::vector<double>> take(std::size_t lines) {
    if (values_.front().empty())
      throw InputError(path_, lines, fmt::format("there is no {} in it", layout_.row), layout_.remedy);
    return std::move(values_);
  }
  /// The different names, and for each row which of them it has; both are empty without such a column.
  std::pair<std::vector<std::string>, std::vector<std::uint8_t>> take_labels() {
    if (too_many_labels_) return {};
    return {std::move(labels_), std::move(label_of_row_)};
  }

 private:
  static constexpr std::size_t unused = static_cast<std::size_t>(-1), label = unused - 1;
  static constexpr std::size_t most_labels = 255;

  std::size_t column_of(std::string_view cell) const {
    const std::string_view name = without_quotes(cell);
    if (!layout_.label.empty() && lower_case(name) == layout_.label) return label;
    const auto at = std::ranges::find(layout_.names, lower_case(name));
    return at == layout_.names.end() ? unused : static_cast<std::size_t>(at - layout_.names.begin());
  }
  std::ptrdiff_t known(const std::vector<std::string_view>& names) const {
    return std::ranges::count_if(
        names, [&](std::string_view name) { return column_of(name) < layout_.names.size(); });
  }
  void set_columns(std::size_t count, std::size_t number) {
    std::vector<std::size_t> possible{layout_.least};
    for (const std::size_t group : layout_.groups) possible.push_back(possible.back() + group);
    if (std::ranges::find(possible, count) == possible.end()) {
      throw InputError(path_, number,
                       fmt::format("expected {} columns, found {}", fmt::join(possible, " or "), count),
                       layout_.remedy);
    }
    for (std::size_t i = 0; i < count; ++i) columns_.push_back(i);
    assumed_ = true;
  }
  void set_named_columns(const std::vector<std::string_view>& cells, std::size_t number) {
    for (const std::string_view cell : cells) {
      const std::size_t column = column_of(cell);
      if (column == unused) {
        unused_names_.push_back(quoted(without_quotes(cell)));
      } else if (has_column(column)) {
        throw InputError(path_, number, fmt::format("two columns are named {}", quoted(cell)),
                         layout_.remedy);
      }
      columns_.push_back(column);
    }
    require_columns(0, layout_.least, number);
    std::size_t first = layout_.least;
    for (const std::size_t group : layout_.groups) {
      bool any = false;
      for (std::size_t i = first; i < first + group; ++i) any |= has_column(i);
      if (any) require_columns(first, first + group, number);
      first += group;
    }
  }
  void require_columns(std::size_t first, std::size_t end, std::size_t number) const {
    for (std::size_t i = first; i < end; ++i) {
      if (!has_column(i))
        throw InputError(path_, number, fmt::format("there is no column {}", layout_.names[i]),
                         layout_.remedy);
    }
  }
  bool has_column(std::size_t column) const { return std::ranges::find(columns_, column) != columns_.end(); }
  void make_room() {
    dispatch::require_memory(fmt::format("A table of {} lines", most_rows_),
                             most_rows_ * columns_.size() * sizeof(double),
                             "Read it on a machine with more memory.");
    for (const std::size_t column : columns_) {
      if (column < values_.size()) values_[column].reserve(most_rows_);
    }
  }
  void add_label(std::string_view cell) {
    if (too_many_labels_) return;
    std::string name(cell);
    if (is_quoted(cell)) {
      name = cell.substr(1, cell.size() - 2);
      for (std::size_t i = name.find("\"\""); i != name.npos; i = name.find("\"\"", i + 1)) name.erase(i, 1);
    }
    const auto found = std::ranges::find(labels_, name);
    label_of_row_.push_back(static_cast<std::uint8_t>(found - labels_.begin()));
    if (found != labels_.end()) return;
    too_many_labels_ = labels_.size() == most_labels;
    labels_.push_back(std::move(name));
  }
  double value(std::string_view cell, std::size_t number, std::size_t column) const {
    const auto value = parse_finite(without_quotes(cell));
    if (!value) {
      throw InputError(path_, number, fmt::format("column {} is {}", column + 1, quoted(cell)),
                       "Give finite numbers.");
    }
    const std::string_view name = layout_.names[columns_[column]];
    if (*value < 0 && (name == "mass" || name == "radius"))
      throw InputError(path_, number, fmt::format("the {} is {}", name, quoted(cell)),
                       "Give one of 0 or more.");
    return *value;
  }

  const std::filesystem::path& path_;
  const Layout& layout_;
  std::size_t most_rows_;
  std::vector<std::vector<double>> values_;  ///< for each of the layout's names
  std::vector<std::size_t> columns_;         ///< layout column of each cell of a line, `label` or `unused`
  std::vector<std::string> labels_;          ///< different ones
  std::vector<std::uint8_t> label_of_row_;
  bool too_many_labels_ = false;
  std::vector<std::string> unused_names_;    ///< of columns
  std::vector<std::string_view> commented_;  ///< names in a comment before the first row
  std::size_t commented_line_ = 0;
  bool assumed_ = false;  ///< the order of the columns
};

/// Upper limit of the number of lines, from the shortest possible line with `least` numbers.
std::size_t rows_in(std::string_view text, std::size_t least) {
  std::size_t rows = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin >= 2 * least - 1) ++rows;
    begin = end + 1;
  }
  return rows;
}

/// Alone in its line: other comments may name times in units of their own.
constexpr std::string_view time_comment = "# time=";

void take_time(std::string_view text, std::size_t line, InitialConditions& to) {
  if (const auto time = parse_finite(trimmed(text))) {
    to.time = *time;
    return;
  }
  to.remarks.assumed(fmt::format(
      "The time in line {} is {}, which is not a finite number: the time {} is taken. Write it as "
      "in \"{}0.5\".",
      line, quoted(text), to.time, time_comment));
}

/// What the comments say is added to `about`.
std::vector<std::vector<double>> read_table(const std::filesystem::path& path, const Layout& layout,
                                            Remarks& remarks, const jobs::Progress& progress,
                                            InitialConditions* about = nullptr) {
  const std::string text = read_text_file(path);
  Table table(path, layout, rows_in(text, layout.least));
  std::string comments;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    if (++number % 4096 == 0) {
      progress.check();
      progress.report(static_cast<double>(begin) / static_cast<double>(text.size()), "bodies");
    }
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (line.starts_with('#')) {
      table.add_comment(line, number);
      comments.append(line).push_back(' ');
      if (about != nullptr && line.starts_with(time_comment))
        take_time(line.substr(time_comment.size()), number, *about);
    } else if (!line.empty()) {
      table.add(line, number);
    }
  }
  if (about != nullptr) {
    const std::size_t before = remarks.size();
    about->units = units_from_text(comments, remarks);
    about->has_unused_units = remarks.size() > before;
  }
  table.remark_on_columns(remarks);
  auto values = table.take(number);
  if (about != nullptr) {
    if (auto [labels, of_row] = table.take_labels(); !labels.empty()) {
      about->origins = std::move(labels);
      about->origin = std::move(of_row);
    }
  }
  return values;
}

/// Writes a line of numbers for each row; all columns have the same length. `add_cells` adds others to it.
void write_table(std::string_view header, const std::vector<const std::vector<double>*>& columns,
                 const std::filesystem::path& path, const jobs::Progress& progress,
                 const std::function<void(std::size_t row, fmt::memory_buffer& line)>& add_cells = {}) {
  AtomicFile file(path);
  file.stream() << header << '\n';
  fmt::memory_buffer lines;
  for (std::size_t row = 0; row < columns.front()->size(); ++row) {
    for (const auto* column : columns) {
      fmt::format_to(std::back_inserter(lines), "{}{}", column == columns.front() ? "" : ",", (*column)[row]);
    }
    if (add_cells) add_cells(row, lines);
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

InitialConditions read_bodies_table(const std::filesystem::path& path, const jobs::Progress& progress) {
  InitialConditions found;
  auto columns = read_table(path, bodies_layout(), found.remarks, progress, &found);
  Bodies& bodies = found.bodies;
  const std::array to{&bodies.mass, &bodies.x,  &bodies.y,  &bodies.z,
                      &bodies.vx,   &bodies.vy, &bodies.vz, &found.radius};
  for (std::size_t i = 0; i < to.size(); ++i) *to[i] = std::move(columns[i]);
  if (found.units) {
    for (double& mass : bodies.mass) mass *= found.units->gravitation;
  }
  return found;
}

Bodies read_bodies_csv(const std::filesystem::path& path, const jobs::Progress& progress) {
  return read_bodies_table(path, progress).bodies;
}

Places read_places_csv(const std::filesystem::path& path, Remarks& remarks, const jobs::Progress& progress) {
  auto columns = read_table(path, places_layout(), remarks, progress);
  return {std::move(columns[0]), std::move(columns[1]), std::move(columns[2])};
}

void write_bodies_csv(const InitialConditions& start, const std::filesystem::path& path,
                      const jobs::Progress& progress) {
  const Bodies& bodies = start.bodies;
  const auto& [radius, units] = std::tie(start.radius, start.units);
  std::vector<double> mass = bodies.mass;
  std::string header;
  if (units) {
    for (double& each : mass) each /= units->gravitation;
    header = fmt::format("# mass in {}, x, y, z{} in {}, vx, vy, vz in {}, time in {}\n# {}\n",
                         mass_name(*units), radius.empty() ? "" : " and radius", length_name(*units),
                         speed_name(*units), time_name(*units), units_as_text(*units));
  }
  if (start.time != 0 && !start.box) header += fmt::format("{}{}\n", time_comment, start.time);
  header += "mass,x,y,z";
  std::vector<const std::vector<double>*> columns{&mass, &bodies.x, &bodies.y, &bodies.z};
  if (!bodies.vx.empty()) {
    columns.insert(columns.end(), {&bodies.vx, &bodies.vy, &bodies.vz});
    header += ",vx,vy,vz";
  }
  if (!radius.empty()) {
    columns.push_back(&radius);
    header += ",radius";
  }
  if (start.origins.size() < 2) return write_table(header, columns, path, progress);
  write_table(header + ",name", columns, path, progress, [&start](std::size_t row, fmt::memory_buffer& line) {
    const std::string& name = start.origins[start.origin.empty() ? 0 : start.origin[row]];
    fmt::format_to(std::back_inserter(line), ",{}", csv_cell(name));
  });
}

void write_bodies_csv(const Bodies& bodies, const std::filesystem::path& path) {
  write_bodies_csv({.bodies = bodies}, path, {});
}

namespace {

std::string units_of_forces(const std::optional<Units>& units, const std::optional<double>& scale_factor,
                            bool with_positions) {
  if (scale_factor) {
    return fmt::format(
        "# {}ax, ay, az in (100 km/s)^2/(Mpc/h), potential in (100 km/s)^2, between comoving positions at "
        "the scale factor a = {}: divide by a^2 and a for the peculiar ones\n",
        with_positions ? "x, y, z in Mpc/h, " : "", *scale_factor);
  }
  if (!units) return {};
  const std::string places = with_positions ? fmt::format("x, y, z in {}, ", length_name(*units)) : "";
  return fmt::format("# {}ax, ay, az in ({})^2/{}, potential in ({})^2\n", places, speed_name(*units),
                     length_name(*units), speed_name(*units));
}

}  // namespace

void write_forces_csv(const Forces& forces, const std::filesystem::path& path, const jobs::Progress& progress,
                      const std::optional<Units>& units, const std::optional<double>& scale_factor) {
  write_table(units_of_forces(units, scale_factor, false) + "ax,ay,az,potential",
              {&forces.ax, &forces.ay, &forces.az, &forces.potential}, path, progress);
}

void write_forces_at_csv(const Places& places, const Forces& forces, const std::filesystem::path& path,
                         const jobs::Progress& progress, const std::optional<Units>& units,
                         const std::optional<double>& scale_factor) {
  write_table(units_of_forces(units, scale_factor, true) + "x,y,z,ax,ay,az,potential",
              {&places.x, &places.y, &places.z, &forces.ax, &forces.ay, &forces.az, &forces.potential}, path,
              progress);
}

}  // namespace isolume::nbody
