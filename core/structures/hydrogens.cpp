#include "core/structures/hydrogens.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace isolume::structures {
namespace {

using Eigen::Vector3d;
using HydrogenPlaces = std::vector<Vector3d>;

bool is_planar(const HydrogenRule& rule) {
  return rule.shape == HydrogenShape::planar || rule.shape == HydrogenShape::phenol;
}

double bond_length(const HydrogenRule& rule) {
  switch (rule.atom.front()) {
    case 'N':
      return 1.01;
    case 'O':
      return 0.96;
    case 'S':
      return 1.34;
    default:
      return is_planar(rule) ? 1.08 : 1.09;
  }
}

/// Angle to the only neighbour.
double bond_angle(const HydrogenRule& rule) {
  if (rule.atom.front() == 'S') return 96 * radians_per_degree;
  return (is_planar(rule) && rule.atom.front() != 'O' ? 120 : 109.5) * radians_per_degree;
}

/// On the side opposite to all neighbours; two hydrogens at two neighbours are 109.5 degrees apart.
HydrogenPlaces between(const HydrogenRule& rule, const Vector3d& atom, const HydrogenPlaces& neighbours) {
  Vector3d away = Vector3d::Zero();
  for (const auto& each : neighbours) away -= (each - atom).normalized();
  if (away.norm() < 1e-3) return {};  // neighbours are collinear: no direction is opposite to them
  away.normalize();
  const double length = bond_length(rule);
  if (rule.hydrogens.size() == 1) return {atom + length * away};
  const Vector3d side = (neighbours[0] - atom).cross(neighbours[1] - atom).normalized();
  const double half = 109.5 / 2 * radians_per_degree;
  return {atom + length * (std::cos(half) * away + std::sin(half) * side),
          atom + length * (std::cos(half) * away - std::sin(half) * side)};
}

/// By rotation about the bond to the only neighbour.
HydrogenPlaces about(const HydrogenRule& rule, const Vector3d& atom, const Vector3d& neighbour,
                     const Vector3d& reference, const ScoreOf& score_of) {
  const auto at = [&](double torsion) {
    return at_angles(atom, neighbour, reference, bond_length(rule), bond_angle(rule),
                     torsion * radians_per_degree);
  };
  const auto best = [&](const HydrogenPlaces& places) {
    return HydrogenPlaces{*std::ranges::max_element(places, {}, score_of)};
  };
  switch (rule.shape) {
    case HydrogenShape::hydroxyl:
      return best({at(180), at(60), at(300)});
    case HydrogenShape::phenol:
      return best({at(0), at(180)});
    case HydrogenShape::planar:
      return {at(0), at(180)};
    default:
      return {at(180), at(300), at(60)};
  }
}

}  // namespace

Vector3d at_angles(const Vector3d& a, const Vector3d& b, const Vector3d& c, double length, double angle,
                   double torsion) {
  const Vector3d along = (b - a).normalized();
  Vector3d across = (c - b) - (c - b).dot(along) * along;
  if (across.norm() < 1e-6) across = along.unitOrthogonal();
  across.normalize();
  const Vector3d third = across.cross(along);  // IUPAC sign convention
  return a + length * (std::cos(angle) * along +
                       std::sin(angle) * (std::cos(torsion) * across + std::sin(torsion) * third));
}

HydrogenPlaces place_hydrogens(const HydrogenRule& rule, const PlaceOf& place_of, const ScoreOf& score_of) {
  const auto atom = place_of(rule.atom);
  if (!atom) return {};
  HydrogenPlaces neighbours;
  for (const auto& name : rule.neighbours) {
    if (const auto place = place_of(name)) neighbours.push_back(*place);
  }
  const bool complete = neighbours.size() == rule.neighbours.size();
  if (!complete || std::ranges::any_of(neighbours, [&](const auto& each) { return each == *atom; }))
    return {};
  if (neighbours.size() > 1) return between(rule, *atom, neighbours);
  const auto reference = place_of(rule.reference);
  if (!reference) return {};
  auto places = about(rule, *atom, neighbours.front(), *reference, score_of);
  places.resize(std::min(places.size(), rule.hydrogens.size()));
  return places;
}

}  // namespace isolume::structures
