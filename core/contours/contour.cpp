#include "core/contours/contour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::contours {

namespace {

constexpr std::ptrdiff_t smoothing_order = 24;

/// The binomial filter B of that order, twiced (J. W. Tukey, Exploratory Data Analysis, 1977): 2 B - B B, which leaves
/// steps out as B does, but does not shrink curves.
std::array<double, 2 * smoothing_order + 1> make_filter() {
  std::array<double, 2 * smoothing_order + 1> once{}, twice{};
  const auto binomial = [](auto& weights, std::ptrdiff_t first, std::ptrdiff_t n) {
    double weight = std::exp2(-static_cast<double>(n));
    for (std::ptrdiff_t k = 0; k <= n;
         weight *= static_cast<double>(n - k) / static_cast<double>(k + 1), ++k) {
      weights[static_cast<std::size_t>(first + k)] = weight;
    }
  };
  binomial(once, smoothing_order / 2, smoothing_order);
  binomial(twice, 0, 2 * smoothing_order);
  for (std::size_t i = 0; i < once.size(); ++i) once[i] = 2 * once[i] - twice[i];
  return once;
}

/// The points with `smoothing_order` more at each end, mirrored there as often as it takes.
Polyline beyond_ends(const Polyline& points) {
  const auto last = static_cast<std::ptrdiff_t>(points.size()) - 1;
  const Eigen::Vector2d along = points.back() - points.front();
  Polyline all;
  all.reserve(points.size() + 2 * smoothing_order);
  for (std::ptrdiff_t i = -smoothing_order; i <= last + smoothing_order; ++i) {
    const std::ptrdiff_t turns = (i < 0 ? i - 2 * last + 1 : i) / (2 * last), rest = i - turns * 2 * last;
    const Eigen::Vector2d moved = static_cast<double>(2 * turns) * along;
    all.push_back(rest <= last ? Eigen::Vector2d(points[static_cast<std::size_t>(rest)] + moved)
                               : Eigen::Vector2d(2 * points.back() -
                                                 points[static_cast<std::size_t>(2 * last - rest)] + moved));
  }
  return all;
}

}  // namespace

Polyline line_of(const Piece& piece) {
  if (piece.kind != PieceKind::wire || piece.points.size() < 3) return piece.points;
  static const auto filter = make_filter();
  const Polyline around = beyond_ends(piece.points);
  Polyline line = piece.points;
  for (std::size_t i = 1; i + 1 < line.size(); ++i) {
    // From the point itself, so that nothing is rounded where the wire is straight.
    Eigen::Vector2d by = Eigen::Vector2d::Zero();
    for (std::size_t k = 0; k < filter.size(); ++k) by += filter[k] * (around[i + k] - piece.points[i]);
    line[i] += by / std::max(1.0, by.norm());
  }
  return line;
}

Polyline Contour::outline() const {
  Polyline all;
  for (const auto& piece : pieces) {
    for (const auto& point : line_of(piece)) {
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

bool is_colour(std::string_view text) {
  return text.size() == 7 && text[0] == '#' &&
         text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string_view::npos;
}

std::string label_colour(int n) {
  static constexpr std::array colours{"#e69f00", "#56b4e9", "#009e73", "#f0e442",
                                      "#0072b2", "#d55e00", "#cc79a7"};
  const int count = static_cast<int>(colours.size());
  return colours[static_cast<std::size_t>(((n % count) + count) % count)];
}

}  // namespace isolume::contours
