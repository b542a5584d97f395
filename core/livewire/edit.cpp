#include "core/livewire/edit.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/contours/interpolate.h"
#include "core/livewire/on_edge.h"
#include "core/livewire/polyline.h"
#include "core/livewire/tracer.h"

namespace isolume::livewire {

using contours::Contour;
using contours::Piece;
using contours::PieceKind;
using contours::Polyline;
using Eigen::Vector2d;

namespace {

void require_unlocked(const Contour& contour) {
  if (contour.locked)
    throw Error(fmt::format("{} is locked. Unlock it to change it.", isolume::quoted(contour.name)));
}

void require_seed(const Contour& contour, std::size_t seed) {
  if (seed >= contour.seeds.size()) {
    throw Error(fmt::format("{} has {} seeds, no seed {}.", isolume::quoted(contour.name),
                            contour.seeds.size(), seed + 1));
  }
}

const Vector2d& end_of(const Contour& contour, std::size_t piece) {
  return contour.seeds[(piece + 1) % contour.seeds.size()];
}

/// Recomputes a piece, avoiding the other ones; pieces without points are still pending.
void find_anew(Contour& contour, std::size_t piece, const FindWire& find) {
  const Vector2d &from = contour.seeds[piece], &to = end_of(contour, piece);
  Polylines others;
  for (std::size_t i = 0; i < contour.pieces.size(); ++i) {
    if (i != piece && !contour.pieces[i].points.empty()) others.push_back(contour.pieces[i].points);
  }
  Polyline points = find(pixel_of(from), pixel_of(to), others);
  if (points.size() < 2) points = {from, to};
  points.front() = from;  // seeds on edges and of imports lie between centres
  points.back() = to;
  contour.pieces[piece] = {PieceKind::wire, std::move(points)};
}

std::pair<Piece, Piece> split(const Piece& piece, std::size_t before, const Vector2d& at) {
  const auto middle = piece.points.begin() + static_cast<std::ptrdiff_t>(before) + 1;
  Piece first{piece.kind, Polyline(piece.points.begin(), middle)};
  Piece second{piece.kind, Polyline(middle, piece.points.end())};
  if (first.points.back() != at) first.points.push_back(at);
  if (second.points.front() != at) second.points.insert(second.points.begin(), at);
  return {std::move(first), std::move(second)};
}

bool in_one_piece(const Contour& contour) {
  return contour.pieces.size() == 1 && contour.pieces[0].kind == PieceKind::freehand;
}

/// Splits an outline of one piece at its significant points.
Contour with_seeds(Contour contour) {
  constexpr double tolerance_px = 2;
  const Polyline outline = contour.outline();
  if (outline.size() < 3) return contour;
  const auto at = contours::seed_points(outline, contour.closed, tolerance_px, contour.closed ? 3 : 2);
  contour.seeds.clear();
  contour.pieces.clear();
  for (const std::size_t point : at) contour.seeds.push_back(outline[point]);
  const std::size_t pieces = contour.closed ? at.size() : at.size() - 1;
  for (std::size_t i = 0; i < pieces; ++i) {
    Polyline points{outline[at[i]]};
    for (std::size_t k = at[i]; k != at[(i + 1) % at.size()];) {
      k = (k + 1) % outline.size();
      points.push_back(outline[k]);
    }
    contour.pieces.push_back({PieceKind::freehand, std::move(points)});
  }
  return contour;
}

/// Moves the ends of a line, and the points between them in proportion.
void move_ends(Polyline& line, const Vector2d& from, const Vector2d& to) {
  const Vector2d at_start = from - line.front(), at_end = to - line.back();
  const double whole = length_px(line);
  double way = 0;
  Vector2d before = line.front();
  for (auto& point : line) {
    way += (point - before).norm();
    before = point;
    const double share = whole > 0 ? way / whole : 0;
    point += (1 - share) * at_start + share * at_end;
  }
  line.front() = from;
  line.back() = to;
}

/// Where both ends of a wire have come to the same position, one of them is removed.
void join_seeds_that_met(Contour& contour) {
  for (std::size_t i = contour.pieces.size(); i-- > 0 && contour.seeds.size() > 2;) {
    if (contour.pieces[i].kind != PieceKind::wire || contour.seeds[i] != end_of(contour, i)) continue;
    contour.pieces.erase(contour.pieces.begin() + static_cast<std::ptrdiff_t>(i));
    const std::size_t end = i + 1 < contour.seeds.size() ? i + 1 : i;
    contour.seeds.erase(contour.seeds.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

Contour snapped(Contour contour, const Features& features, double radius_px, const FindWire& find) {
  for (auto& seed : contour.seeds) seed = on_edge(features, snap_to_edge(features, seed, radius_px));
  join_seeds_that_met(contour);
  for (std::size_t i = 0; i < contour.pieces.size(); ++i) {
    if (contour.pieces[i].kind == PieceKind::wire) {
      contour.pieces[i].points.clear();
    } else {
      move_ends(contour.pieces[i].points, contour.seeds[i], end_of(contour, i));
    }
  }
  for (std::size_t i = 0; i < contour.pieces.size(); ++i) {
    if (contour.pieces[i].kind == PieceKind::wire) find_anew(contour, i, find);
  }
  return contour;
}

}  // namespace

Contour move_seed(Contour contour, std::size_t seed, const Vector2d& to, const FindWire& find) {
  require_unlocked(contour);
  require_seed(contour, seed);
  if (in_one_piece(contour)) {
    const Vector2d place = contour.seeds[seed];
    contour = with_seeds(std::move(contour));
    const auto distance = [&](const Vector2d& each) { return (each - place).norm(); };
    seed = static_cast<std::size_t>(std::ranges::min_element(contour.seeds, {}, distance) -
                                    contour.seeds.begin());
  }
  contour.seeds[seed] = to.array().round();
  const std::size_t count = contour.seeds.size();
  const std::size_t before = (seed + count - 1) % count;
  if (seed < contour.pieces.size()) contour.pieces[seed].points.clear();
  if (before < contour.pieces.size()) find_anew(contour, before, find);
  if (seed < contour.pieces.size() && seed != before) find_anew(contour, seed, find);
  return contour;
}

Contour insert_seed(Contour contour, std::size_t piece, const Vector2d& place) {
  require_unlocked(contour);
  if (piece >= contour.pieces.size()) {
    throw Error(fmt::format("{} has {} pieces, no piece {}.", isolume::quoted(contour.name),
                            contour.pieces.size(), piece + 1));
  }
  const Piece& old = contour.pieces[piece];
  const NearestPoint nearest = nearest_point(old.points, place);
  Vector2d at = nearest.point;
  if (old.kind == PieceKind::wire) {  // one of its points
    const Vector2d &before = old.points[nearest.before], &after = old.points[nearest.before + 1];
    at = (at - before).norm() <= (at - after).norm() ? before : after;
  }
  if (old.points.size() < 2 || at == old.points.front() || at == old.points.back()) {
    throw Error("There is already a seed at this position.");
  }
  auto [first, second] = split(old, nearest.before, at);
  const auto index = static_cast<std::ptrdiff_t>(piece);
  contour.pieces[piece] = std::move(first);
  contour.pieces.insert(contour.pieces.begin() + index + 1, std::move(second));
  contour.seeds.insert(contour.seeds.begin() + index + 1, at);
  return contour;
}

Contour delete_seed(Contour contour, std::size_t seed, const FindWire& find) {
  require_unlocked(contour);
  require_seed(contour, seed);
  const std::size_t least = contour.closed ? 3 : 2;
  if (contour.seeds.size() <= least) {
    throw Error(fmt::format("{} needs its {} seeds. Delete the contour instead.",
                            isolume::quoted(contour.name), contour.seeds.size()));
  }
  const auto index = static_cast<std::ptrdiff_t>(seed);
  const bool at_the_end = seed == contour.pieces.size();
  contour.pieces.erase(contour.pieces.begin() + (at_the_end ? index - 1 : index));
  contour.seeds.erase(contour.seeds.begin() + index);
  if (at_the_end || (seed == 0 && !contour.closed)) return contour;
  find_anew(contour, seed == 0 ? contour.pieces.size() - 1 : seed - 1, find);
  return contour;
}

Contour move_contour(Contour contour, const Vector2d& by) {
  require_unlocked(contour);
  for (auto& seed : contour.seeds) seed += by;
  for (auto& piece : contour.pieces) {
    for (auto& point : piece.points) point += by;
  }
  return contour;
}

Contour copy_to_slice(Contour contour, images::SliceId slice, const Features& features, double snap_radius_px,
                      const FindWire& find) {
  require_unlocked(contour);
  if (slice.axis != contour.slice.axis) {
    throw Error(
        fmt::format("{} can be copied to slices of its own direction only.", isolume::quoted(contour.name)));
  }
  contour.id = 0;
  contour.slice = slice;
  return snapped(std::move(contour), features, snap_radius_px, find);
}

Contour resnap(Contour contour, const Features& features, double snap_radius_px, const FindWire& find) {
  require_unlocked(contour);
  const bool all_wires = contour.suggestion || in_one_piece(contour);
  if (in_one_piece(contour)) contour = with_seeds(std::move(contour));
  if (all_wires) {
    for (auto& piece : contour.pieces) piece.kind = PieceKind::wire;
  }
  return snapped(std::move(contour), features, snap_radius_px, find);
}

std::optional<Hit> hit(const std::vector<std::shared_ptr<const Contour>>& contours, const Vector2d& place,
                       double radius_px) {
  std::optional<Hit> seed, outline;
  double nearest_seed = radius_px, nearest_outline = radius_px;
  for (const auto& contour : contours) {
    if (!contour->visible) continue;
    for (std::size_t i = 0; i < contour->seeds.size(); ++i) {
      const double distance = (contour->seeds[i] - place).norm();
      if (distance > nearest_seed || (seed && distance == nearest_seed)) continue;
      nearest_seed = distance;
      seed = Hit{contour->id, i, std::min(i, contour->pieces.size() - 1)};
    }
    const auto lines = contour->lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double distance = nearest_point(lines[i], place).distance_px;
      if (distance > nearest_outline || (outline && distance == nearest_outline)) continue;
      nearest_outline = distance;
      outline = Hit{contour->id, std::nullopt, i};
    }
  }
  return seed ? seed : outline;
}

}  // namespace isolume::livewire
