#include "core/contours/contour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include <fmt/format.h>

#include "core/base/colour.h"
#include "core/base/error.h"

namespace isolume::contours {

namespace {

/// Filter orders for wires that lie on the edge within their pixels, and for those that go from pixel centre to pixel
/// centre.
constexpr std::ptrdiff_t fine_order = 8, coarse_order = 24;

/// The binomial filter B of an even order, twiced (J. W. Tukey, Exploratory Data Analysis, 1977): 2 B - B B, which
/// removes steps as B does, but does not shrink curves.
std::vector<double> twiced_binomial(std::ptrdiff_t order) {
  std::vector<double> once(static_cast<std::size_t>(2 * order + 1)), twice(once.size());
  const auto binomial = [](auto& weights, std::ptrdiff_t first, std::ptrdiff_t n) {
    double weight = std::exp2(-static_cast<double>(n));
    for (std::ptrdiff_t k = 0; k <= n;
         weight *= static_cast<double>(n - k) / static_cast<double>(k + 1), ++k) {
      weights[static_cast<std::size_t>(first + k)] = weight;
    }
  };
  binomial(once, order / 2, order);
  binomial(twice, 0, 2 * order);
  for (std::size_t i = 0; i < once.size(); ++i) once[i] = 2 * once[i] - twice[i];
  return once;
}

/// Whether a wire goes from pixel centre to pixel centre.
bool is_coarse(const Piece& piece) {
  const auto& points = piece.points;
  return std::all_of(points.begin() + 1, points.end() - 1, [](const Eigen::Vector2d& point) {
    return point == Eigen::Vector2d(point.array().round());
  });
}

/// Consecutive wires without a corner between them, as one line.
struct Run {
  Polyline points;  ///< seeds between two pieces occur once; the first point of a ring is not repeated
  bool is_ring = false;

  /// Beyond the ends, points are mirrored at them, which keeps the ends fixed.
  Eigen::Vector2d at(std::ptrdiff_t i) const {
    const auto last = static_cast<std::ptrdiff_t>(points.size()) - 1;
    const auto point = [&](std::ptrdiff_t index) { return points[static_cast<std::size_t>(index)]; };
    if (is_ring) return point(((i % (last + 1)) + last + 1) % (last + 1));
    if (i >= 0 && i <= last) return point(i);
    const std::ptrdiff_t turns = (i < 0 ? i - 2 * last + 1 : i) / (2 * last), rest = i - turns * 2 * last;
    const Eigen::Vector2d moved = static_cast<double>(2 * turns) * (points.back() - points.front());
    const Eigen::Vector2d unmoved = rest <= last ? point(rest) : 2 * points.back() - point(2 * last - rest);
    return unmoved + moved;
  }
  Eigen::Vector2d moved_by(std::ptrdiff_t i, const std::vector<double>& filter) const {
    const auto half = static_cast<std::ptrdiff_t>(filter.size() / 2);
    const Eigen::Vector2d here = at(i);
    // Relative to the point itself, which avoids rounding where the wire is straight.
    Eigen::Vector2d by = Eigen::Vector2d::Zero();
    for (std::ptrdiff_t k = -half; k <= half; ++k)
      by += filter[static_cast<std::size_t>(k + half)] * (at(i + k) - here);
    return by;
  }
  Eigen::Vector2d smoothed(std::ptrdiff_t i, bool is_coarse) const {
    static const auto fine = twiced_binomial(fine_order), coarse = twiced_binomial(coarse_order);
    // A line through the pixels of a straight edge is at most half a pixel from their centres: larger displacements
    // round off corners.
    constexpr double most_of_straight_px = 0.6, most_px = 1;
    if (is_coarse) {
      const Eigen::Vector2d by = moved_by(i, coarse);
      if (by.norm() <= most_of_straight_px) return at(i) + by;
    }
    const Eigen::Vector2d by = moved_by(i, fine);
    return at(i) + by / std::max(1.0, by.norm() / most_px);
  }
};

/// Whether the points of a wire lie in neighbouring pixels: others did not come from pixels, and have no steps to
/// smooth.
bool is_smoothed(const Piece& piece) {
  constexpr double farthest_neighbours_px = 2.9;  // of a diagonal, from corner to corner
  const auto& points = piece.points;
  return piece.kind == PieceKind::wire && points.size() > 1 &&
         std::ranges::adjacent_find(points, [](const Eigen::Vector2d& one, const Eigen::Vector2d& other) {
           return (one - other).norm() > farthest_neighbours_px;
         }) == points.end();
}

/// Whether a line turns by more than 60 degrees within four points of the seed between two pieces: more than the
/// outline of a disc of ten pixels does.
bool is_corner(const Polyline& before, const Polyline& after) {
  const std::size_t back = std::min<std::size_t>(4, before.size() - 1),
                    forth = std::min<std::size_t>(4, after.size() - 1);
  const Eigen::Vector2d comes = before.back() - before[before.size() - 1 - back];
  const Eigen::Vector2d goes = after[forth] - after.front();
  return comes.dot(goes) < 0.5 * comes.norm() * goes.norm();
}

bool go_on(const Piece& before, const Piece& after) {
  return is_smoothed(before) && is_smoothed(after) && before.points.back() == after.points.front() &&
         !is_corner(before.points, after.points);
}

/// Smooths pieces first to last (modulo their count).
void smooth_run(const std::vector<Piece>& pieces, std::size_t first, std::size_t count, bool is_ring,
                std::vector<Polyline>& lines) {
  Run run;
  run.is_ring = is_ring;
  for (std::size_t i = 0; i < count; ++i) {
    const Polyline& points = pieces[(first + i) % pieces.size()].points;
    run.points.insert(run.points.end(), points.begin() + (i == 0 ? 0 : 1), points.end());
  }
  if (is_ring) run.points.pop_back();
  const auto end = static_cast<std::ptrdiff_t>(run.points.size()) - 1;
  if (end < 2) return;
  std::ptrdiff_t start = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t piece = (first + i) % pieces.size();
    const bool goes_on = is_ring || i + 1 < count, coarse = is_coarse(pieces[piece]);
    const bool next_is_coarse = goes_on && is_coarse(pieces[(first + i + 1) % pieces.size()]);
    Polyline& line = lines[piece];
    for (std::size_t k = 0; k < line.size(); ++k) {
      const std::ptrdiff_t at = start + static_cast<std::ptrdiff_t>(k);
      // A seed belongs to the later piece, which ensures that both have it at the same position.
      const bool is_later_ones = goes_on && k + 1 == line.size();
      if (!is_ring && (at == 0 || at == end)) continue;
      line[k] = run.smoothed(at, is_later_ones ? next_is_coarse : coarse);
    }
    start += static_cast<std::ptrdiff_t>(line.size()) - 1;
  }
}

}  // namespace

std::vector<Polyline> lines_of(const std::vector<Piece>& pieces, bool closed) {
  std::vector<Polyline> lines;
  for (const auto& piece : pieces) lines.push_back(piece.points);
  const std::size_t count = pieces.size();
  const auto joins_next = [&](std::size_t i) {
    return (closed || i + 1 < count) && go_on(pieces[i], pieces[(i + 1) % count]);
  };
  std::size_t first = 0;  // of a run
  if (closed) {
    while (first < count && joins_next((first + count - 1) % count)) ++first;
    if (count > 0 && first == count) {
      smooth_run(pieces, 0, count, true, lines);
      return lines;
    }
  }
  for (std::size_t done = 0; done < count;) {
    const std::size_t begin = first + done;
    std::size_t length = 1;
    while (done + length < count && joins_next((begin + length - 1) % count)) ++length;
    if (is_smoothed(pieces[begin % count])) smooth_run(pieces, begin % count, length, false, lines);
    done += length;
  }
  return lines;
}

std::vector<Polyline> Contour::lines() const {
  return lines_of(pieces, closed);
}

Polyline Contour::outline() const {
  Polyline all;
  for (const auto& line : lines()) {
    for (const auto& point : line) {
      if (all.empty() || all.back() != point) all.push_back(point);
    }
  }
  if (pieces.empty()) all = seeds;
  if (closed && all.size() > 1 && all.front() == all.back()) all.pop_back();
  return all;
}

Contour contour_from_outline(Polyline points, images::SliceId slice, bool closed, int label) {
  Contour contour;
  contour.label = label;
  contour.slice = slice;
  contour.closed = closed;
  if (points.empty()) return contour;
  contour.seeds = {points.front()};
  if (closed) {
    points.push_back(points.front());
  } else {
    contour.seeds.push_back(points.back());
  }
  contour.pieces = {{PieceKind::freehand, std::move(points)}};
  return contour;
}

void ContourSet::put_label(Label label) {
  const auto same = std::ranges::find(labels_, label.value, &Label::value);
  if (same == labels_.end()) {
    labels_.push_back(std::move(label));
  } else {
    *same = std::move(label);
  }
}

void ContourSet::remove_label(int value) {
  std::erase_if(labels_, [&](const Label& label) { return label.value == value; });
  std::erase_if(contours_, [&](const auto& contour) { return contour->label == value; });
}

const Label* ContourSet::label(int value) const {
  const auto found = std::ranges::find(labels_, value, &Label::value);
  return found == labels_.end() ? nullptr : &*found;
}

int ContourSet::unused_label_value() const {
  int value = 1;
  while (label(value) != nullptr) ++value;
  return value;
}

bool ContourSet::has_colour(std::string_view colour) const {
  const auto wanted = rgb_of(colour);
  const auto is_like = [&](const Label& label) {
    constexpr int most_apart = 16;
    const auto own = rgb_of(label.colour);
    if (!own || !wanted) return label.colour == colour;
    return std::ranges::equal(*own, *wanted, [](int a, int b) { return std::abs(a - b) <= most_apart; });
  };
  return std::ranges::any_of(labels_, is_like);
}

std::optional<std::string> ContourSet::unused_colour() const {
  for (int n = 0; n < label_colours; ++n) {
    if (std::string colour = label_colour(n); !has_colour(colour)) return colour;
  }
  return std::nullopt;
}

const Contour* ContourSet::find(std::uint64_t id) const {
  const auto found = std::ranges::find(contours_, id, [](const auto& contour) { return contour->id; });
  return found == contours_.end() ? nullptr : found->get();
}

std::uint64_t ContourSet::add(Contour contour) {
  if (label(contour.label) == nullptr) {
    put_label({.value = contour.label,
               .name = fmt::format("Label {}", contour.label),
               .colour = label_colour(contour.label - 1)});
  }
  contour.id = next_id_++;
  if (contour.name.empty()) contour.name = next_name(contour.label);
  contours_.push_back(std::make_shared<const Contour>(std::move(contour)));
  return contours_.back()->id;
}

std::string ContourSet::next_name(int value) const {
  const Label* of = label(value);
  if (of == nullptr) throw Error(fmt::format("There is no label {}.", value));
  auto number = std::ranges::count(contours_, value, [](const auto& each) { return each->label; });
  for (;;) {
    std::string name = fmt::format("{} {}", of->name, ++number);
    if (std::ranges::none_of(contours_, [&](const auto& each) { return each->name == name; })) return name;
  }
}

bool ContourSet::is_numbered(const Contour& contour) const {
  const Label* of = label(contour.label);
  if (of == nullptr || !contour.name.starts_with(of->name + " ")) return false;
  const auto number = std::string_view(contour.name).substr(of->name.size() + 1);
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

void ContourSet::rename_label(int value, const std::string& name) {
  const Label* old = label(value);
  if (old == nullptr) throw Error(fmt::format("There is no label {}.", value));
  const std::size_t name_length = old->name.size();
  for (auto& each : contours_) {
    if (each->label != value || !is_numbered(*each)) continue;
    Contour renamed = *each;
    renamed.name.replace(0, name_length, name);
    each = std::make_shared<const Contour>(std::move(renamed));
  }
  std::ranges::find(labels_, value, &Label::value)->name = name;
}

std::string ContourSet::colour_of(const Contour& contour) const {
  if (!contour.colour.empty()) return contour.colour;
  const Label* of = label(contour.label);
  return of != nullptr ? of->colour : label_colour(contour.label - 1);
}

void ContourSet::replace(Contour contour) {
  const auto old = std::ranges::find(contours_, contour.id, [](const auto& each) { return each->id; });
  if (old == contours_.end()) throw Error(fmt::format("There is no contour {}.", contour.id));
  *old = std::make_shared<const Contour>(std::move(contour));
}

void ContourSet::remove(std::uint64_t id) {
  std::erase_if(contours_, [&](const auto& contour) { return contour->id == id; });
}

std::vector<std::shared_ptr<const Contour>> ContourSet::on_slice(images::SliceId slice) const {
  std::vector<std::shared_ptr<const Contour>> found;
  std::ranges::copy_if(contours_, std::back_inserter(found),
                       [&](const auto& contour) { return contour->slice == slice; });
  return found;
}

const Ruler* ContourSet::find_ruler(std::uint64_t id) const {
  const auto found = std::ranges::find(rulers_, id, &Ruler::id);
  return found == rulers_.end() ? nullptr : &*found;
}

std::uint64_t ContourSet::add_ruler(Ruler ruler) {
  ruler.id = next_ruler_++;
  rulers_.push_back(std::move(ruler));
  return rulers_.back().id;
}

void ContourSet::replace_ruler(const Ruler& ruler) {
  const auto old = std::ranges::find(rulers_, ruler.id, &Ruler::id);
  if (old == rulers_.end()) throw Error(fmt::format("There is no ruler {}.", ruler.id));
  *old = ruler;
}

void ContourSet::remove_ruler(std::uint64_t id) {
  if (find_ruler(id) == nullptr) throw Error(fmt::format("There is no ruler {}.", id));
  std::erase_if(rulers_, [&](const Ruler& ruler) { return ruler.id == id; });
}

bool is_colour(std::string_view text) {
  return rgb_of(text).has_value();
}

std::string label_colour(int n) {
  static constexpr std::array<const char*, label_colours> colours{"#e69f00", "#56b4e9", "#009e73", "#f0e442",
                                                                  "#0072b2", "#d55e00", "#cc79a7"};
  return colours[static_cast<std::size_t>(((n % label_colours) + label_colours) % label_colours)];
}

}  // namespace isolume::contours
