#include "core/gaussians/charge_sites.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"

namespace isolume::gaussians {
namespace {

using Eigen::Vector3d;

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Gaussians of two atoms whose centres lie in one cube of this side share a site. A larger cube gives fewer
/// sites, but more Gaussians are too near to them; the cost varies little between 1 and 2.
constexpr double cell_bohr = 1.5;
/// Gaussians closer than this to an atom share that atom's site.
constexpr double at_atom_bohr = 0.3;
/// Ranges of one class differ by less than this factor.
constexpr double class_ratio = 1.15;

double factorial(int n) {
  return std::tgamma(n + 1.0);
}

/// (-1)^m (2m - 1)!!
double signed_double_factorial(int m) {
  double product = 1;
  for (int i = 1; i <= m; ++i) product *= -(2 * i - 1);
  return product;
}

/// The coefficients of d^t/dx^t f(x^2 / 2) = sum_a (this) x^(t-2a) f^(t-a).
double derivative_weight(int t, int a) {
  return factorial(t) / (std::pow(2, a) * factorial(a) * factorial(t - 2 * a));
}

/// Calls use(i, j, k, s, weight): (d/dx)^t (d/dy)^u (d/dz)^v f(r^2 / 2) = sum of weight x^i y^j z^k f^(i+j+k+s).
template <class Use>
void for_each_monomial(const std::array<int, 3>& triple, const Use& use) {
  for (int a = 0; 2 * a <= triple[0]; ++a) {
    for (int b = 0; 2 * b <= triple[1]; ++b) {
      for (int c = 0; 2 * c <= triple[2]; ++c) {
        use(triple[0] - 2 * a, triple[1] - 2 * b, triple[2] - 2 * c, a + b + c,
            derivative_weight(triple[0], a) * derivative_weight(triple[1], b) *
                derivative_weight(triple[2], c));
      }
    }
  }
}

/// A coefficient and its position.
struct Term {
  std::size_t position = 0;
  double weight = 0;
};
using Terms = std::vector<std::vector<Term>>;

/// For each triple of an order, the position of its Gaussian's coefficient among those of NearGaussian,
/// without the factor (-2p)^(i+j+k+s), whose power is given.
struct NearTerm {
  std::size_t position = 0;
  double weight = 0;
  int power = 0;
};
std::vector<std::vector<NearTerm>> make_near_terms(int order) {
  const TripleIndex& index = triple_index(order);
  std::vector<std::size_t> first;
  std::size_t next = 0;
  for (const auto& [i, j, k] : index.triples()) {
    first.push_back(next);
    next += static_cast<std::size_t>((order - i - j - k) / 2 + 1);
  }
  std::vector<std::vector<NearTerm>> terms;
  for (const auto& triple : index.triples()) {
    auto& of_triple = terms.emplace_back();
    for_each_monomial(triple, [&](int i, int j, int k, int s, double weight) {
      of_triple.push_back({first[index.at(i, j, k)] + static_cast<std::size_t>(s), weight, i + j + k + s});
    });
  }
  return terms;
}
const std::vector<std::vector<NearTerm>>& near_terms(int order) {
  static const auto all = [] {
    std::vector<std::vector<std::vector<NearTerm>>> made;
    for (int each = 0; each <= max_order; ++each) made.push_back(make_near_terms(each));
    return made;
  }();
  return all[static_cast<std::size_t>(order)];
}

/// For each triple of far_order, the contributions of its derivative of 1 / R to FarMultipole's coefficients.
/// A derivative of order n has terms x^i y^j z^k / R^(2 (i+j+k+s) + 1) with i + j + k + 2 s = n; multiplied
/// by R^(2s) = (x^2 + y^2 + z^2)^s, all of them become monomials of degree n.
Terms make_far_terms() {
  const TripleIndex& index = triple_index(ChargeSites::far_order);
  Terms terms;
  for (const auto& triple : index.triples()) {
    std::map<std::size_t, double> sums;
    for_each_monomial(triple, [&](int i, int j, int k, int s, double weight) {
      for (int a = 0; a <= s; ++a) {
        for (int b = 0; a + b <= s; ++b) {
          const int c = s - a - b;
          const double ways = factorial(s) / (factorial(a) * factorial(b) * factorial(c));
          sums[index.at(i + 2 * a, j + 2 * b, k + 2 * c)] +=
              weight * ways * signed_double_factorial(i + j + k + s);
        }
      }
    });
    auto& of_triple = terms.emplace_back();
    for (const auto& [position, weight] : sums) of_triple.push_back({position, weight});
  }
  return terms;
}
const Terms& far_terms() {
  static const Terms terms = make_far_terms();
  return terms;
}

/// Sums of magnitudes, by order.
using Magnitudes = std::array<double, max_order + 1>;

Magnitudes magnitudes_of(const double* coefficients, int order) {
  Magnitudes sums{};
  const auto& triples = triple_index(order).triples();
  for (std::size_t i = 0; i < triples.size(); ++i)
    sums[static_cast<std::size_t>(triples[i][0] + triples[i][1] + triples[i][2])] +=
        std::abs(coefficients[i]);
  return sums;
}

/// Upper bound of the difference between a Gaussian's potential and that of its point multipole at this
/// distance; see charge_sites.h.
double error_as_point(const Magnitudes& moments, int order, double exponent, double distance) {
  const double t = exponent * distance * distance;
  if (t < order + 1) return infinity;
  double sum = 0;
  const double root = std::sqrt(exponent);
  for (int n = 0; n <= order; ++n) {
    const double power = std::pow(root * (2 * std::sqrt(t) + std::sqrt(2.0 * n)), n);
    // The integrand falls at least as fast as exp(-2 (T - n) (s / sqrt(p) - 1)).
    sum += moments[static_cast<std::size_t>(n)] * power * root / (2 * (t - n));
  }
  return sum * std::exp(-t) * 2 / std::sqrt(std::numbers::pi);
}

/// Error at this distance of translating point multipoles by `offset` and truncating them at far_order.
double error_of_moving(const Magnitudes& moments, int order, double offset, double distance) {
  if (offset == 0) return 0;
  if (distance <= offset) return infinity;
  const double ratio = offset / distance;
  double sum = 0;
  for (int l = 0; l <= order; ++l) {
    int m = ChargeSites::far_order + 1 - l;
    double term = factorial(l + m) / factorial(m) * std::pow(ratio, m) / std::pow(distance, l + 1);
    double terms = 0;
    for (; term > 1e-3 * terms; ++m) {
      terms += term;
      term *= ratio * (l + m + 1) / (m + 1);
    }
    // From here on the ratio of successive terms decreases.
    sum += moments[static_cast<std::size_t>(l)] *
           (terms + term / std::max(1e-3, 1 - ratio * (l + m + 1) / (m + 1)));
  }
  return sum;
}

}  // namespace

struct ChargeSites::Member {
  const HermiteGaussian* gaussian = nullptr;
  std::size_t site = 0;
  double range = 0;
  int class_number = 0;
};

namespace {

/// The range, measured from a Gaussian's site.
double range_of(const HermiteGaussian& gaussian, const double* coefficients, double offset, double share) {
  Magnitudes moments = magnitudes_of(coefficients, gaussian.order);
  for (double& each : moments) each *= std::pow(std::numbers::pi / gaussian.exponent, 1.5);
  constexpr double growth = 1.03;
  double reach = std::sqrt((gaussian.order + 1) / gaussian.exponent);
  while (error_as_point(moments, gaussian.order, gaussian.exponent, reach) > share / 2) reach *= growth;
  double range = reach + offset;
  while (error_of_moving(moments, gaussian.order, offset, range) > share / 2) range *= growth;
  return range;
}

/// Translates multipoles: adds them to `moments`, of far_order, about a point from which they are `offset`
/// away.
void move_to_site(const HermiteGaussian& gaussian, const double* coefficients, const Vector3d& offset,
                  std::vector<double>& moments) {
  const TripleIndex& to = triple_index(ChargeSites::far_order);
  const double charge = std::pow(std::numbers::pi / gaussian.exponent, 1.5);
  // offset^n / n!
  std::array<std::array<double, ChargeSites::far_order + 1>, 3> powers;
  for (int axis = 0; axis < 3; ++axis) {
    auto& of_axis = powers[static_cast<std::size_t>(axis)];
    of_axis[0] = 1;
    for (int n = 1; n <= ChargeSites::far_order; ++n)
      of_axis[static_cast<std::size_t>(n)] = of_axis[static_cast<std::size_t>(n - 1)] * offset[axis] / n;
  }
  const bool at_site = offset.isZero(0);
  const auto& triples = triple_index(gaussian.order).triples();
  for (std::size_t n = 0; n < triples.size(); ++n) {
    const double h = charge * coefficients[n];
    if (h == 0) continue;
    const auto& [t, u, v] = triples[n];
    const int most = at_site ? 0 : ChargeSites::far_order - t - u - v;
    for (int i = 0; i <= most; ++i) {
      for (int j = 0; i + j <= most; ++j) {
        for (int k = 0; i + j + k <= most; ++k) {
          moments[to.at(t + i, u + j, v + k)] += h * powers[0][static_cast<std::size_t>(i)] *
                                                 powers[1][static_cast<std::size_t>(j)] *
                                                 powers[2][static_cast<std::size_t>(k)];
        }
      }
    }
  }
}

}  // namespace

/// The assignment of Gaussians to sites.
struct ChargeSites::Sorting {
  std::vector<Vector3d> places;
  std::vector<Member> members;

  Sorting(const HermiteDensity& density, const molecules::Molecule& molecule) {
    for (const auto& atom : molecule.atoms) places.push_back(atom.position_bohr);
    const std::size_t atoms = places.size();
    std::map<std::array<int, 3>, std::size_t> cells;
    std::vector<int> counts(atoms);
    for (const auto& gaussian : density.gaussians) {
      const Vector3d& centre = gaussian.centre_bohr;
      const std::size_t atom = nearer_atom(gaussian);
      Member member{.gaussian = &gaussian, .site = atom};
      if ((centre - places[atom]).norm() > at_atom_bohr) {
        std::array<int, 3> cell;
        for (int axis = 0; axis < 3; ++axis)
          cell[static_cast<std::size_t>(axis)] = static_cast<int>(std::floor(centre[axis] / cell_bohr));
        member.site = cells.try_emplace(cell, places.size()).first->second;
        if (member.site == places.size()) {
          places.push_back(Vector3d::Zero());
          counts.push_back(0);
        }
        places[member.site] += centre;
        ++counts[member.site];
      }
      members.push_back(member);
    }
    for (std::size_t site = atoms; site < places.size(); ++site) places[site] /= counts[site];
  }

 private:
  std::size_t nearer_atom(const HermiteGaussian& gaussian) const {
    const auto first = static_cast<std::size_t>(gaussian.atoms[0]),
               second = static_cast<std::size_t>(gaussian.atoms[1]);
    return (gaussian.centre_bohr - places[first]).squaredNorm() <=
                   (gaussian.centre_bohr - places[second]).squaredNorm()
               ? first
               : second;
  }
};

ChargeSites::ChargeSites(const HermiteDensity& density, const molecules::Molecule& molecule, double tolerance,
                         const jobs::Progress& progress) {
  progress.report(0, "multipoles");
  Sorting sorting(density, molecule);
  auto& members = sorting.members;
  // One half is for the difference between Gaussians and point multipoles, the other for the truncation of
  // the sites' multipoles.
  const double share = tolerance / 2 / static_cast<double>(std::max<std::size_t>(members.size(), 1));
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, members.size(), 64), [&](const auto& range) {
    progress.check();
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      Member& member = members[i];
      const HermiteGaussian& gaussian = *member.gaussian;
      const double offset = (gaussian.centre_bohr - sorting.places[member.site]).norm();
      const double reach = range_of(gaussian, density.coefficients.data() + gaussian.first, offset, share);
      member.class_number = static_cast<int>(std::ceil(std::log(reach) / std::log(class_ratio)));
      member.range = std::pow(class_ratio, member.class_number);
    }
  });
  std::ranges::stable_sort(members, [](const Member& a, const Member& b) {
    return a.site != b.site ? a.site < b.site : a.class_number < b.class_number;
  });
  require_memory(members);
  gaussians_.reserve(members.size());
  std::size_t first = 0;
  const double share_of_site =
      tolerance / 2 / static_cast<double>(std::max<std::size_t>(sorting.places.size(), 1));
  while (first < members.size()) {
    progress.check();
    std::size_t end = first;
    while (end < members.size() && members[end].site == members[first].site) ++end;
    Site site{.place = sorting.places[members[first].site], .classes = {}};
    std::vector<Member> own(members.begin() + static_cast<std::ptrdiff_t>(first),
                            members.begin() + static_cast<std::ptrdiff_t>(end));
    fill_site(site, density, own, share_of_site);
    sites_.push_back(std::move(site));
    first = end;
  }
}

void ChargeSites::require_memory(const std::vector<Member>& members) const {
  std::size_t near = 0, sums = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    near += near_count(members[i].gaussian->order);
    if (i == 0 || members[i].site != members[i - 1].site ||
        members[i].class_number != members[i - 1].class_number)
      ++sums;
  }
  std::size_t of_sum = 0;
  for (int order = 0; order <= far_order; order += 2) of_sum += triple_count(order);
  dispatch::require_memory(fmt::format("The potential of {} pairs of primitives", members.size()),
                           members.size() * sizeof(NearGaussian) + (near + sums * of_sum) * sizeof(double),
                           "Take a smaller basis set, or a part of the molecule.");
}

void ChargeSites::fill_site(Site& site, const HermiteDensity& density, std::vector<Member>& members,
                            double share) {
  std::vector<double> moments(triple_count(far_order), 0.0);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    if (i == 0 || member.class_number != members[i - 1].class_number) {
      auto& made =
          site.classes.emplace_back(Class{.range = member.range, .first = gaussians_.size(), .versions = {}});
      if (i > 0) made.versions = versions_of(moments, members[i - 1].range, share);
    }
    const HermiteGaussian& gaussian = *member.gaussian;
    const double* const coefficients = density.coefficients.data() + gaussian.first;
    add_gaussian(gaussian, coefficients);
    move_to_site(gaussian, coefficients, gaussian.centre_bohr - site.place, moments);
  }
  site.classes.push_back({.range = infinity,
                          .first = gaussians_.size(),
                          .versions = versions_of(moments, members.back().range, share)});
}

void ChargeSites::add_gaussian(const HermiteGaussian& gaussian, const double* coefficients) {
  const Vector3d& centre = gaussian.centre_bohr;
  const std::size_t first = near_coefficients_.size();
  gaussians_.push_back({centre.x(), centre.y(), centre.z(), gaussian.exponent, gaussian.order, first});
  near_coefficients_.resize(first + near_count(gaussian.order));
  std::array<double, 2 * max_order + 1> powers;
  powers[0] = 2 * std::numbers::pi / gaussian.exponent;
  for (std::size_t n = 1; n < powers.size(); ++n) powers[n] = -2 * gaussian.exponent * powers[n - 1];
  const auto& terms = near_terms(gaussian.order);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (coefficients[i] == 0) continue;
    for (const NearTerm& term : terms[i]) {
      near_coefficients_[first + term.position] +=
          coefficients[i] * term.weight * powers[static_cast<std::size_t>(term.power)];
    }
  }
}

std::vector<ChargeSites::Version> ChargeSites::versions_of(const std::vector<double>& moments, double nearest,
                                                           double share) {
  const TripleIndex& index = triple_index(far_order);
  const Magnitudes sizes = magnitudes_of(moments.data(), far_order);
  std::vector<double> all(moments.size(), 0.0);
  for (std::size_t i = 0; i < moments.size(); ++i) {
    if (moments[i] == 0) continue;
    for (const Term& term : far_terms()[i]) all[term.position] += moments[i] * term.weight;
  }
  std::vector<Version> versions;
  for (int order = 0; order <= far_order; order += 2) {
    const auto left_out = [&](double distance) {
      double sum = 0;
      for (int l = order + 1; l <= far_order; ++l)
        sum += sizes[static_cast<std::size_t>(l)] * factorial(l) / std::pow(distance, l + 1);
      return sum;
    };
    double from = nearest;
    while (left_out(from) > share && from < 1e4) from *= class_ratio;
    if (left_out(from) > share) continue;
    versions.push_back({.order = order, .from = from, .first = far_coefficients_.size()});
    for (const auto& [i, j, k] : triple_index(order).triples())
      far_coefficients_.push_back(all[index.at(i, j, k)]);
    if (from <= nearest) break;
  }
  return versions;
}

TileBox::TileBox(const PointTile& tile) : low(tile.x[0], tile.y[0], tile.z[0]), high(low) {
  for (int i = 1; i < tile.count; ++i) {
    const Vector3d place(tile.x[i], tile.y[i], tile.z[i]);
    low = low.cwiseMin(place).eval();
    high = high.cwiseMax(place).eval();
  }
}

double TileBox::distance_to(const Vector3d& place) const {
  return (low - place).cwiseMax(place - high).cwiseMax(0.0).norm();
}

ChargeSites::Choice ChargeSites::choose(const Site& site, double distance) {
  const auto near = std::ranges::upper_bound(site.classes, distance, {}, &Class::range);
  Choice choice{.first_near = near->first, .end_near = site.classes.back().first};
  for (const Version& version : near->versions) {
    if (version.from > distance) continue;
    choice.far = &version;
    break;
  }
  return choice;
}

double ChargeSites::operations_a_point(const TileBox& box) const {
  // Operations of the Boys function: an exponential, a row of the table and the recursion.
  constexpr double of_boys = 60, of_far = 20;
  double operations = 0;
  for (const Site& site : sites_) {
    const Choice choice = choose(site, box.distance_to(site.place));
    if (choice.far != nullptr)
      operations += of_far + 2 * static_cast<double>(triple_count(choice.far->order));
    for (std::size_t i = choice.first_near; i < choice.end_near; ++i) {
      const int order = gaussians_[i].order;
      operations += of_boys + 4 * order + 2 * static_cast<double>(near_count(order));
    }
  }
  return operations;
}

void ChargeSites::add_to(PointTile& tile, const jobs::Progress& progress) const {
  const TileBox box(tile);
  for (const Site& site : sites_) {
    progress.check();
    const Choice choice = choose(site, box.distance_to(site.place));
    if (choice.far != nullptr) {
      add_far(tile, {site.place.x(), site.place.y(), site.place.z(), choice.far->order,
                     far_coefficients_.data() + choice.far->first});
    }
    add_near(tile, gaussians_.data() + choice.first_near, choice.end_near - choice.first_near,
             near_coefficients_.data());
  }
}

}  // namespace isolume::gaussians
