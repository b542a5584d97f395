#include "core/structures/ribbon.h"

#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include <Eigen/Geometry>

namespace isolume::structures {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr int sides = 16;             ///< of an elliptical cross-section
constexpr int steps_per_residue = 8;  ///< even, so that the border between residues lies on a step

/// Semi-axes of a cross-section in angstrom: width and thickness.
using Section = Vector2d;
const Section tube(0.3, 0.3), thick_tube(0.6, 0.6), helix_band(1.3, 0.22), strand_band(1.1, 0.22);
constexpr double arrow_head = 1.9, arrow_tip = 0.3;  ///< half widths at both ends

/// A residue of a chain as a control point of the curve.
struct Knot {
  std::uint32_t residue = 0;
  Vector3d place;
  Vector3d across = Vector3d::Zero();  ///< direction of the ribbon's width
  Secondary kind = Secondary::none;
  bool is_nucleotide = false;
};
using Knots = std::vector<Knot>;

std::optional<Vector3d> guide_of(const Backbone& backbone) {
  return backbone.alpha_carbon ? backbone.alpha_carbon : backbone.phosphorus;
}

/// In the peptide plane, and nearly perpendicular to the chain: along its C=O. Where that is unknown, perpendicular
/// to the plane of three neighbours: along the axis of a helix, and within a sheet.
Vector3d across_of(const Backbone& backbone, const Knots& knots, std::size_t i) {
  if (backbone.carbon && backbone.oxygen) return (*backbone.oxygen - *backbone.carbon).normalized();
  if (i == 0 || i + 1 == knots.size()) return Vector3d::Zero();
  return (knots[i].place - knots[i - 1].place).cross(knots[i + 1].place - knots[i].place).normalized();
}

/// Neighbours in a strand point to opposite sides: their directions are aligned. Then each is the mean of the two
/// peptides at its residue.
void set_across(const std::vector<Backbone>& backbones, Knots& knots) {
  Vector3d last = Vector3d::Zero();
  for (std::size_t i = 0; i < knots.size(); ++i) {
    Vector3d across = across_of(backbones[knots[i].residue], knots, i);
    if (across.dot(last) < 0) across = -across;
    if (across.squaredNorm() > 0.5) last = across;
    knots[i].across = last;
  }
  for (std::size_t i = knots.size(); i-- > 1;) knots[i].across += knots[i - 1].across;
}

/// Removes the pleat of strands, so that ribbons are smooth.
void smooth_strands(Knots& knots) {
  const Knots before = knots;
  for (std::size_t i = 1; i + 1 < knots.size(); ++i) {
    if (knots[i].kind == Secondary::strand)
      knots[i].place = (before[i - 1].place + 2 * before[i].place + before[i + 1].place) / 4;
  }
}

Section section_of(const Knot& knot) {
  if (knot.is_nucleotide) return thick_tube;
  if (is_helix(knot.kind)) return helix_band;
  return knot.kind == Secondary::strand ? strand_band : tube;
}

/// A cross-section at a point of the curve.
struct Ring {
  Vector3d centre, along, across, up;
  Section section;
  std::uint32_t residue = 0;
};

/// Joins cross-sections by triangles.
class Skin {
 public:
  explicit Skin(Ribbon& ribbon) : ribbon_(ribbon) {}

  void begin(const Ring& ring) {
    close(ring, -ring.along);
    last_ = add_round(ring);
  }
  void go_on(const Ring& ring) {
    const auto next = add_round(ring);
    join(last_, next);
    last_ = next;
  }
  /// The section widens abruptly: adds the backward-facing face.
  void widen(Ring ring, const Section& to) {
    const auto inner = add_flat(ring, -ring.along);
    ring.section = to;
    join(inner, add_flat(ring, -ring.along));
    last_ = add_round(ring);
  }
  void end(const Ring& ring) { close(ring, ring.along); }

 private:
  std::uint32_t add(const Ring& ring, const Vector3d& place, const Vector3d& normal) {
    for (int axis = 0; axis < 3; ++axis) {
      ribbon_.points.push_back(static_cast<float>(place[axis]));
      ribbon_.normals.push_back(static_cast<float>(normal[axis]));
    }
    ribbon_.residues.push_back(ring.residue);
    return static_cast<std::uint32_t>(ribbon_.residues.size() - 1);
  }
  static Vector2d direction(int side) {
    const double angle = 2 * std::numbers::pi * side / sides;
    return {std::cos(angle), std::sin(angle)};
  }
  static Vector3d on(const Ring& ring, int side) {
    const Vector2d at = direction(side).cwiseProduct(ring.section);
    return ring.centre + at.x() * ring.across + at.y() * ring.up;
  }
  std::uint32_t add_round(const Ring& ring) {
    const auto first = static_cast<std::uint32_t>(ribbon_.residues.size());
    for (int side = 0; side < sides; ++side) {
      const Vector2d normal = direction(side).cwiseQuotient(ring.section);
      add(ring, on(ring, side), (normal.x() * ring.across + normal.y() * ring.up).normalized());
    }
    return first;
  }
  void join(std::uint32_t first, std::uint32_t next) {
    for (std::uint32_t side = 0; side < sides; ++side) {
      const std::uint32_t other = (side + 1) % sides;
      ribbon_.triangles.insert(ribbon_.triangles.end(), {first + side, first + other, next + other,
                                                         first + side, next + other, next + side});
    }
  }
  std::uint32_t add_flat(const Ring& ring, const Vector3d& normal) {
    const auto first = static_cast<std::uint32_t>(ribbon_.residues.size());
    for (int side = 0; side < sides; ++side) add(ring, on(ring, side), normal);
    return first;
  }
  void close(const Ring& ring, const Vector3d& normal) {
    const auto middle = add(ring, ring.centre, normal);
    const auto first = add_flat(ring, normal);
    const bool looks_on = normal.dot(ring.along) > 0;
    for (std::uint32_t side = 0; side < sides; ++side) {
      const std::uint32_t a = first + side, b = first + (side + 1) % sides;
      ribbon_.triangles.insert(ribbon_.triangles.end(), {middle, looks_on ? a : b, looks_on ? b : a});
    }
  }

  Ribbon& ribbon_;
  std::uint32_t last_ = 0;  ///< first point of the last ring
};

/// Neighbours of a residue on the curve, extrapolated linearly at its ends.
class Curve {
 public:
  explicit Curve(const Knots& knots) : knots_(knots) {}

  /// Catmull-Rom spline: passes through all control points, along the chord of their neighbours. `at` counts control
  /// points from 0.
  Ring ring(double at) const {
    const auto last = static_cast<int>(knots_.size()) - 1;
    const int i = std::min(static_cast<int>(at), last - 1);
    const double t = at - i;
    const Vector3d a = place(i - 1), b = place(i), c = place(i + 1), d = place(i + 2);
    const Vector3d m = (c - a) / 2, n = (d - b) / 2;
    Ring ring;
    ring.centre = (2 * t * t * t - 3 * t * t + 1) * b + (t * t * t - 2 * t * t + t) * m +
                  (3 * t * t - 2 * t * t * t) * c + (t * t * t - t * t) * n;
    ring.along =
        ((6 * t * t - 6 * t) * (b - c) + (3 * t * t - 4 * t + 1) * m + (3 * t * t - 2 * t) * n).normalized();
    if (ring.along.squaredNorm() < 0.5) ring.along = Vector3d::UnitX();  // coincident residues
    const Vector3d across = (1 - t) * knot(i).across + t * knot(i + 1).across;
    ring.up = ring.along.cross(across);
    if (ring.up.squaredNorm() < 1e-6) ring.up = ring.along.unitOrthogonal();
    ring.up.normalize();
    ring.across = ring.up.cross(ring.along);
    ring.section = ring_section(i, t);
    ring.residue = knot(t < 0.5 ? i : i + 1).residue;
    return ring;
  }
  const Knot& knot(int i) const { return knots_[static_cast<std::size_t>(i)]; }
  /// Whether a strand ends after this residue, so that its arrow begins half a residue before it.
  bool ends_strand(int i) const {
    return knot(i).kind == Secondary::strand && i > 0 && knot(i - 1).kind == Secondary::strand &&
           (i + 1 == static_cast<int>(knots_.size()) || knot(i + 1).kind != Secondary::strand);
  }

 private:
  Vector3d place(int i) const {
    const auto last = static_cast<int>(knots_.size()) - 1;
    if (i < 0) return 2 * knot(0).place - knot(1).place;
    if (i > last) return 2 * knot(last).place - knot(last - 1).place;
    return knot(i).place;
  }
  /// Interpolates cross-sections between two residues; arrows extend from half a residue before the last one of the
  /// strand to half a residue after it, or to the end of the chain.
  Section ring_section(int i, double t) const {
    const double width = arrow_head - arrow_tip;
    if (ends_strand(i + 1) && t >= 0.5) return {arrow_head - width * (t - 0.5), strand_band.y()};
    if (ends_strand(i)) {
      if (t <= 0.5) return {arrow_head - width * (0.5 + t), strand_band.y()};
      return section_of(knot(i + 1));
    }
    const Section from = section_of(knot(i)), to = section_of(knot(i + 1));
    if (ends_strand(i + 1)) return from;
    const double smooth = t * t * (3 - 2 * t);
    return (1 - smooth) * from + smooth * to;
  }

  const Knots& knots_;
};

void add_chain(const Knots& knots, Ribbon& ribbon) {
  const Curve curve(knots);
  Skin skin(ribbon);
  const int steps = steps_per_residue * (static_cast<int>(knots.size()) - 1);
  for (int step = 0; step <= steps; ++step) {
    const double at = static_cast<double>(step) / steps_per_residue;
    Ring ring = curve.ring(at);
    const bool arrow_begins =
        step % steps_per_residue == steps_per_residue / 2 && curve.ends_strand(step / steps_per_residue + 1);
    const Section head = ring.section;
    if (arrow_begins) ring.section = strand_band;
    if (step == 0) {
      skin.begin(ring);
    } else {
      skin.go_on(ring);
    }
    if (arrow_begins) skin.widen(ring, head);
    if (step == steps) skin.end(ring);
  }
  for (const auto& knot : knots) ribbon.shown[knot.residue] = true;
}

}  // namespace

Ribbon ribbon_of(const std::vector<Backbone>& backbones, const std::vector<Secondary>& secondary) {
  Ribbon ribbon;
  ribbon.shown.resize(backbones.size());
  Knots knots;
  const auto end_chain = [&] {
    if (knots.size() > 1) {
      set_across(backbones, knots);
      smooth_strands(knots);
      add_chain(knots, ribbon);
    }
    knots.clear();
  };
  for (std::size_t i = 0; i < backbones.size(); ++i) {
    const auto place = guide_of(backbones[i]);
    if (!place) {
      end_chain();
      continue;
    }
    if (!knots.empty() && !are_joined(backbones[i - 1], backbones[i])) end_chain();
    knots.push_back({static_cast<std::uint32_t>(i), *place, Vector3d::Zero(), secondary[i],
                     !backbones[i].alpha_carbon.has_value()});
  }
  end_chain();
  return ribbon;
}

}  // namespace isolume::structures
