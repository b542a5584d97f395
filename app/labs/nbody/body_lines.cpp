#include "app/labs/nbody/body_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "app/bodies/frame_bodies.h"
#include "app/bodies/orbit_lines.h"
#include "core/nbody/forces/octree.h"

namespace isolume::labs::nbody {
namespace {

using isolume::nbody::NBodyFrame;
using Colour = std::array<std::uint8_t, 4>;

constexpr std::size_t most_trails = 2000;
constexpr std::size_t most_boxes = 20000;
constexpr std::uint32_t leaf_size = 16;

/// Where the bodies of the present frame are in earlier ones, in which there may have been more of them, before some merged.
class EarlierRows {
 public:
  explicit EarlierRows(const isolume::nbody::BodyLabels& now) : now_(now) {}
  /// Nothing where it was not there yet.
  std::optional<std::size_t> row(std::size_t body, const isolume::nbody::BodyLabels& then) {
    if (&then == &now_) return body;
    auto& rows = of_[&then];
    if (rows.empty()) {
      std::size_t row = 0;  // the order stays, and those that are added come last
      for (const std::uint64_t id : now_.id) {
        while (row < then.id.size() && then.id[row] != id) ++row;
        rows.push_back(row < then.id.size() ? std::optional(row) : std::nullopt);
      }
    }
    return rows[body];
  }

 private:
  const isolume::nbody::BodyLabels& now_;
  std::map<const isolume::nbody::BodyLabels*, std::vector<std::optional<std::size_t>>> of_;
};

/// Brightest where the body is now.
void add_trail(const BodiesRequest& request, const Extent& extent, std::size_t body, EarlierRows& rows,
               Colour colour, scene::LineSet& lines) {
  const double alpha = colour[3];
  const auto count = static_cast<double>(request.history.size() + 1);
  std::size_t age = 0;
  std::optional<Eigen::Vector3f> last;
  const auto& box = request.frame->labels->box;
  const float half = box ? static_cast<float>(box->side / 2) : std::numeric_limits<float>::infinity();
  const auto add = [&](const NBodyFrame& frame) {
    const auto row = rows.row(body, *frame.labels);
    if (!row) return;
    const Eigen::Vector3f place = Eigen::Map<const Eigen::Vector3f>(&frame.positions.host()[3 * *row]) +
                                  (frame.centre - extent.middle).cast<float>();
    // It has left a periodic box and come in on the other side.
    if (last && (place - *last).cwiseAbs().maxCoeff() > half) lines.begin_line();
    last = place;
    colour[3] = static_cast<std::uint8_t>(alpha * (1 - static_cast<double>(age++) / count));
    lines.add(place.x(), place.y(), place.z(), colour);
  };
  lines.begin_line();
  add(*request.frame);
  for (const auto& each : request.history) add(*each);
}

void add_trails(const BodiesRequest& request, const Extent& extent, std::optional<std::size_t> chosen,
                std::span<const std::uint32_t> seen, scene::LineSet& lines) {
  if (request.history.empty()) return;
  EarlierRows rows(*request.frame->labels);
  if (request.look.trails == Trails::all) {
    constexpr std::size_t few = 100;
    const Colour pale{150, 185, 255, static_cast<std::uint8_t>(seen.size() <= few ? 230 : 110)};
    const std::size_t stride = (seen.size() + most_trails - 1) / most_trails;
    for (std::size_t i = 0; i < seen.size(); i += stride)
      add_trail(request, extent, seen[i], rows, pale, lines);
  }
  constexpr Colour bright{255, 255, 255, 255};
  if (chosen) add_trail(request, extent, *chosen, rows, bright, lines);
}

void add_orbits(const NBodyFrame& frame, const Extent& extent,
                std::span<const isolume::nbody::NamedBody> named, scene::LineSet& lines) {
  constexpr Colour dim{120, 145, 190, 150};
  const Eigen::Vector3f shift = (frame.centre - extent.middle).cast<float>();
  for (const auto& orbit : bodies::orbit_lines(frame, named)) {
    lines.begin_line();
    for (const Eigen::Vector3f& each : orbit) {
      const Eigen::Vector3f at = each + shift;
      lines.add(at.x(), at.y(), at.z(), dim);
    }
  }
}

/// Its twelve edges, as one line through all corners and three more.
void add_box(const Eigen::Vector3f& low, const Eigen::Vector3f& high, const Colour& colour,
             scene::LineSet& lines) {
  const auto corner = [&](int number) {
    lines.add((number & 1) != 0 ? high.x() : low.x(), (number & 2) != 0 ? high.y() : low.y(),
              (number & 4) != 0 ? high.z() : low.z(), colour);
  };
  static constexpr std::array around{0, 1, 3, 2, 0, 4, 5, 7, 6, 4};
  static constexpr std::array<std::array<int, 2>, 3> left{{{1, 5}, {3, 7}, {2, 6}}};
  lines.begin_line();
  for (const int each : around) corner(each);
  for (const auto& [from, to] : left) {
    lines.begin_line();
    corner(from);
    corner(to);
  }
}

void add_boxes(const BodiesRequest& request, const Extent& extent, scene::LineSet& lines) {
  isolume::nbody::ForceSeconds seconds;
  const auto tree = isolume::nbody::build_octree(bodies::bodies_of(*request.frame), leaf_size, seconds);
  const Eigen::Vector3d shift = tree.bodies.centre + request.frame->centre - extent.middle;
  std::vector<std::uint32_t> ends;  // of the cells that the present one is in
  std::size_t boxes = 0;
  for (std::uint32_t i = 0; i < tree.cells.size() && boxes < most_boxes;) {
    const auto& cell = tree.cells[i];
    while (!ends.empty() && ends.back() <= i) ends.pop_back();
    const auto level = static_cast<int>(ends.size());
    const auto alpha = static_cast<std::uint8_t>(200 / (1 + level));
    const Colour colour{255, 200, 90, std::max<std::uint8_t>(alpha, 40)};
    add_box((cell.box.min() * tree.bodies.length + shift).cast<float>(),
            (cell.box.max() * tree.bodies.length + shift).cast<float>(), colour, lines);
    ++boxes;
    const bool deeper = !cell.leaf && level + 1 < request.look.tree_levels;
    if (deeper) ends.push_back(cell.next);
    i = deeper ? i + 1 : cell.next;
  }
}

/// Three short lines that cross there.
void add_probe(const NBodyLook& look, const Extent& extent, scene::LineSet& lines) {
  constexpr Colour pink{255, 110, 210, 255};  // that no map of values has
  constexpr double size = 0.08;
  const Eigen::Vector3d place = Eigen::Vector3d(look.probe_x, look.probe_y, look.probe_z) - extent.middle;
  for (int axis = 0; axis < 3; ++axis) {
    lines.begin_line();
    for (const double end : {-size, size}) {
      const Eigen::Vector3f at = (place + end * extent.radius * Eigen::Vector3d::Unit(axis)).cast<float>();
      lines.add(at.x(), at.y(), at.z(), pink);
    }
  }
}

}  // namespace

std::shared_ptr<const scene::LineSet> lines_of(const BodiesRequest& request, const Extent& extent,
                                               std::optional<std::size_t> chosen,
                                               std::span<const std::uint32_t> seen,
                                               std::span<const isolume::nbody::NamedBody> named) {
  const auto& box = request.frame->labels->box;
  const NBodyLook& look = request.look;
  const bool orbits = look.orbits && !named.empty();
  if (look.trails == Trails::none && look.tree_levels == 0 && !look.probe && !box && !orbits) return nullptr;
  auto lines = std::make_shared<scene::LineSet>();
  if (box) {
    const Eigen::Vector3f low = (-extent.middle).cast<float>();
    add_box(low, low + Eigen::Vector3f::Constant(static_cast<float>(box->side)), {90, 110, 150, 255}, *lines);
  }
  if (orbits) add_orbits(*request.frame, extent, named, *lines);
  if (look.trails != Trails::none) add_trails(request, extent, chosen, seen, *lines);
  if (look.tree_levels > 0) add_boxes(request, extent, *lines);
  if (look.probe) add_probe(look, extent, *lines);
  return lines;
}

}  // namespace isolume::labs::nbody
