#include "core/nbody/runs/collisions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>
#include <utility>

#include <Eigen/Core>

#include "core/base/disjoint_sets.h"

namespace isolume::nbody {
namespace {

using Eigen::Vector3d;

Vector3d place_in(const Bodies& of, std::size_t i) {
  return {of.x[i], of.y[i], of.z[i]};
}
Vector3d velocity_in(const Bodies& of, std::size_t i) {
  return {of.vx[i], of.vy[i], of.vz[i]};
}
void set_moving(const Vector3d& place, const Vector3d& velocity, Bodies& of, std::size_t i) {
  of.x[i] = place.x(), of.y[i] = place.y(), of.z[i] = place.z();
  of.vx[i] = velocity.x(), of.vy[i] = velocity.y(), of.vz[i] = velocity.z();
}

/// Range of an axis that a body sweeps during the step.
struct Interval {
  double low, high;
  std::size_t body;
};

std::vector<Interval> intervals_of(const std::vector<double>& before, const std::vector<double>& now,
                                   std::span<const double> radius) {
  std::vector<Interval> found(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto [low, high] = std::minmax(before[i], now[i]);
    found[i] = {low - radius[i], high + radius[i], i};
  }
  return found;
}

double spread(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax_element(values);
  return *high - *low;
}

std::optional<Contact> contact_of(const Bodies& before, const Bodies& now, std::span<const double> radius,
                                  std::size_t i, std::size_t k) {
  if (now.mass[i] == 0 && now.mass[k] == 0) return std::nullopt;
  const Vector3d start = place_in(before, k) - place_in(before, i);
  const Vector3d way = place_in(now, k) - place_in(now, i) - start;
  const double reach = radius[i] + radius[k];
  const double along = start.dot(way), outside = start.squaredNorm() - reach * reach,
               length = way.squaredNorm();
  if (!(reach > 0)) return std::nullopt;
  if (outside <= 0) return Contact{i, k, 0, along < 0};
  const double under_root = along * along - length * outside;
  if (along >= 0 || under_root < 0) return std::nullopt;
  // The smaller root, in the form without cancellation.
  const double part = outside / (-along + std::sqrt(under_root));
  return part <= 1 ? std::optional(Contact{i, k, part, true}) : std::nullopt;
}

Collided untouched(const Bodies& now, std::span<const double> radius) {
  Collided found{now, std::vector<std::size_t>(now.size()), {radius.begin(), radius.end()}};
  std::iota(found.kept.begin(), found.kept.end(), 0);
  return found;
}

}  // namespace

std::vector<double> radii_of(const std::vector<double>& mass, const std::vector<double>& known,
                             const RunOptions& options, const std::optional<Units>& units) {
  if (!known.empty()) return known;
  double density = options.density;
  if (units) density *= std::pow(units->length, 3) / units->mass * units->gravitation;
  std::vector<double> found;
  found.reserve(mass.size());
  for (const double each : mass) found.push_back(std::cbrt(3 * each / (4 * std::numbers::pi * density)));
  return found;
}

std::vector<Contact> contacts_between(const Bodies& before, const Bodies& now,
                                      std::span<const double> radius) {
  if (now.size() < 2) return {};
  const std::array axes{std::pair{&before.x, &now.x}, std::pair{&before.y, &now.y},
                        std::pair{&before.z, &now.z}};
  const auto longest =
      std::ranges::max_element(axes, {}, [](const auto& axis) { return spread(*axis.second); });
  std::vector<Interval> sorted = intervals_of(*longest->first, *longest->second, radius);
  std::ranges::sort(sorted, [](const Interval& one, const Interval& other) {
    return std::pair(one.low, one.body) < std::pair(other.low, other.body);
  });
  std::vector<Contact> found;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    for (std::size_t m = k + 1; m < sorted.size() && sorted[m].low <= sorted[k].high; ++m) {
      const auto [i, other] = std::minmax(sorted[k].body, sorted[m].body);
      if (const auto contact = contact_of(before, now, radius, i, other)) found.push_back(*contact);
    }
  }
  std::ranges::sort(found, [](const Contact& one, const Contact& other) {
    return std::tuple(one.part, one.one, one.other) < std::tuple(other.part, other.one, other.other);
  });
  return found;
}

Collided merged(const Bodies& now, std::span<const double> radius, std::span<const Contact> contacts) {
  if (contacts.empty()) return untouched(now, radius);
  DisjointSets sets(now.size());
  for (const Contact& each : contacts) sets.join(each.one, each.other);
  struct Cluster {
    double mass = 0, volume = 0;
    Vector3d place = {0, 0, 0}, momentum = {0, 0, 0};
    std::size_t heaviest = 0, members = 0;
  };
  std::vector<Cluster> clusters(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    Cluster& cluster = clusters[sets.first(i)];
    if (cluster.members++ == 0 || now.mass[i] > now.mass[cluster.heaviest]) cluster.heaviest = i;
    cluster.mass += now.mass[i];
    cluster.volume += std::pow(radius[i], 3);
    cluster.place += now.mass[i] * place_in(now, i);
    cluster.momentum += now.mass[i] * velocity_in(now, i);
  }
  Collided found = untouched(now, radius);
  std::vector<bool> stays(now.size(), true);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Cluster& cluster = clusters[sets.first(i)];
    if (cluster.members == 1) continue;
    stays[i] = cluster.heaviest == i;
    if (!stays[i]) {
      ++found.collisions;
      continue;
    }
    found.bodies.mass[i] = cluster.mass;
    found.radius[i] = std::cbrt(cluster.volume);
    set_moving(cluster.place / cluster.mass, cluster.momentum / cluster.mass, found.bodies, i);
  }
  std::erase_if(found.kept, [&](std::size_t i) { return !stays[i]; });
  const auto keep = [&](std::vector<double>& values) {
    for (std::size_t row = 0; row < found.kept.size(); ++row) values[row] = values[found.kept[row]];
    values.resize(found.kept.size());
  };
  Bodies& bodies = found.bodies;
  for (auto* each :
       {&bodies.mass, &bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz, &found.radius})
    keep(*each);
  return found;
}

Collided bounced(const Bodies& before, const Bodies& now, std::span<const double> radius,
                 std::span<const Contact> contacts, double restitution, double dt) {
  Collided found = untouched(now, radius);
  std::vector<bool> has_bounced(now.size(), false);
  for (const auto& [i, k, part, approaching] : contacts) {
    if (!approaching || has_bounced[i] || has_bounced[k]) continue;
    const auto on_the_way = [&, part = part](std::size_t body) -> Vector3d {
      return place_in(before, body) + part * (place_in(now, body) - place_in(before, body));
    };
    const Vector3d line = on_the_way(k) - on_the_way(i);
    if (line.norm() == 0) continue;
    const Vector3d normal = line.normalized(), v_i = velocity_in(now, i), v_k = velocity_in(now, k);
    const double speed = (v_k - v_i).dot(normal);
    if (speed >= 0) continue;
    const double mass = now.mass[i] + now.mass[k], share_i = now.mass[i] / mass, share_k = now.mass[k] / mass;
    const double change = (1 + restitution) * speed, rest = (1 - part) * dt;
    const Vector3d left_i = v_i + change * share_k * normal, left_k = v_k - change * share_i * normal;
    Vector3d x_i = on_the_way(i) + rest * left_i, x_k = on_the_way(k) + rest * left_k;
    const Vector3d shift =
        share_i * (place_in(now, i) - x_i) + share_k * (place_in(now, k) - x_k);  // of the centre of mass
    set_moving(x_i + shift, left_i, found.bodies, i);
    set_moving(x_k + shift, left_k, found.bodies, k);
    has_bounced[i] = has_bounced[k] = true;
    ++found.collisions;
  }
  return found;
}

}  // namespace isolume::nbody
