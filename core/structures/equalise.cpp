#include "core/structures/equalise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/molecules/element.h"

namespace isolume::structures {
namespace {

/// Table I of Rappe and Goddard: electronegativity and idempotential in eV, radius in angstrom; n of the Slater
/// function.
struct EqualisedElement {
  int atomic_number;
  double electronegativity, hardness, radius;
  int n;
};
constexpr std::array<EqualisedElement, 16> equalised_elements{{{1, 4.5280, 13.8904, 0.371, 1},
                                                               {3, 3.006, 4.772, 1.557, 2},
                                                               {6, 5.343, 10.126, 0.759, 2},
                                                               {7, 6.899, 11.760, 0.715, 2},
                                                               {8, 8.741, 13.364, 0.669, 2},
                                                               {9, 10.874, 14.948, 0.706, 2},
                                                               {11, 2.843, 4.592, 2.085, 3},
                                                               {14, 4.168, 6.974, 1.176, 3},
                                                               {15, 5.463, 8.000, 1.102, 3},
                                                               {16, 6.928, 8.972, 1.047, 3},
                                                               {17, 8.564, 9.892, 0.994, 3},
                                                               {19, 2.421, 3.840, 2.586, 4},
                                                               {35, 7.790, 8.850, 1.141, 4},
                                                               {37, 2.331, 3.692, 2.770, 5},
                                                               {53, 6.822, 7.524, 1.333, 5},
                                                               {55, 2.183, 3.422, 2.984, 6}}};
constexpr double hydrogen_exponent = 1.0698, exponent_scale = 0.4913;  // zeta = scale (2 n + 1) / (2 R)

const EqualisedElement* equalised_element(int atomic_number) {
  const auto found = std::ranges::find(equalised_elements, atomic_number, &EqualisedElement::atomic_number);
  return found == equalised_elements.end() ? nullptr : &*found;
}

/// A density r^(2n - 2) exp(-a r) of total charge 1 about a centre; lengths in bohr.
struct SlaterDensity {
  int n;
  double a;  ///< twice the exponent

  /// Charge per interval of r.
  double radial(double r) const {
    return std::exp((2 * n + 1) * std::log(a) + 2 * n * std::log(r) - a * r - std::lgamma(2 * n + 1));
  }
  /// Difference between a point charge and this density in the integral of s times the potential at s, from s to
  /// infinity.
  double lack(double s) const {
    const double x = a * s;
    double sum = 0, power = 1;  // x^j / j!
    for (int j = 0; j < 2 * n; ++j) {
      // The sum over k from j on of 1 - k / (2 n).
      sum += power * (2 * n - j) * (2 * n - j + 1) / (4.0 * n);
      power *= x / (j + 1);
    }
    return std::exp(-x) * sum / a;
  }
  double reach() const { return (2 * n + 40) / a; }
};

/// Gauss-Legendre, 24 points on (-1, 1), by Newton's method.
struct LegendreRule {
  LegendreRule() {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      double x = std::cos(M_PI * (static_cast<double>(i) + 0.75) / (static_cast<double>(nodes.size()) + 0.5)),
             slope = 1;
      for (int step = 0; step < 50; ++step) {
        double before = 1, value = x;
        for (int k = 2; k <= static_cast<int>(nodes.size()); ++k)
          before = std::exchange(value, ((2 * k - 1) * x * value - (k - 1) * before) / k);
        slope = static_cast<double>(nodes.size()) * (x * value - before) / (x * x - 1);
        x -= value / slope;
      }
      nodes[i] = x;
      weights[i] = 2 / ((1 - x * x) * slope * slope);
    }
  }
  std::array<double, 24> nodes{}, weights{};
};

/// Coulomb energy of two densities in hartree, with centres r bohr apart: the potential of one, averaged over spheres
/// about the other.
double coulomb_integral(const SlaterDensity& one, const SlaterDensity& other, double r) {
  static const LegendreRule rule;
  const auto shell = [&](double s) {
    const double near = std::abs(r - s), far = r + s;
    return one.radial(s) * (far - near - other.lack(near) + other.lack(far)) / (2 * r * s);
  };
  // The average has a kink where a sphere passes through the centre of the other density.
  double sum = 0;
  const double reach = one.reach();
  std::array<double, 4> ends{0, std::min(r, reach) / 2, std::min(r, reach), reach};
  for (std::size_t part = 0; part + 1 < ends.size(); ++part) {
    const double half = (ends[part + 1] - ends[part]) / 2, middle = (ends[part + 1] + ends[part]) / 2;
    for (std::size_t i = 0; half > 0 && i < rule.nodes.size(); ++i)
      sum += half * rule.weights[i] * shell(middle + half * rule.nodes[i]);
  }
  return sum;
}

class Equalising {
 public:
  Equalising(std::span<const int> atomic_numbers, std::span<const Eigen::Vector3d> places, double total)
      : places_(places),
        charges_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(places.size()))),
        total_(total) {
    for (const int number : atomic_numbers) {
      const auto* element = equalised_element(number);
      if (element == nullptr)
        throw Error(fmt::format("Electronegativity equalisation has no parameters of {}.",
                                molecules::element(number).name));
      elements_.push_back(element);
    }
  }

  std::vector<double> run(const jobs::Progress& progress) {
    constexpr int most_rounds = 200;
    fill(true);
    for (int round = 0; round < most_rounds; ++round) {
      progress.check();
      progress.report(static_cast<double>(round) / most_rounds, "equalising electronegativities");
      const Eigen::VectorXd found = solve();
      const double change = (found - charges_).cwiseAbs().maxCoeff();
      if (!(change < 100)) break;
      charges_ = (charges_ + found) / 2;
      if (change < 1e-9) return {found.begin(), found.end()};
      if (!fill(false)) return {found.begin(), found.end()};
    }
    throw Error(
        "Electronegativity equalisation does not converge. Give the molecule charges by "
        "--charges.");
  }

 private:
  static bool is_hydrogen_element(const EqualisedElement& element) { return element.n == 1; }
  SlaterDensity density(std::size_t atom) const {
    const auto& element = *elements_[atom];
    // An exponent of 0 would be a density of infinite extent.
    constexpr double least = 0.1;
    const double exponent =
        is_hydrogen_element(element)
            ? std::max(least, hydrogen_exponent + charges_[static_cast<Eigen::Index>(atom)])
            : exponent_scale * (2 * element.n + 1) / (2 * element.radius * units::bohr_per_angstrom);
    return {element.n, 2 * exponent};
  }

  /// Fills the integrals that depend on charges, or all; returns whether any do.
  bool fill(bool all) {
    const auto count = static_cast<Eigen::Index>(places_.size());
    if (all) matrix_ = Eigen::MatrixXd::Ones(count + 1, count + 1);
    matrix_(count, count) = 0;
    bool any = false;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      const bool moves = is_hydrogen_element(*elements_[i]);
      any = any || moves;
      const double hardness = elements_[i]->hardness / units::ev_per_hartree;
      matrix_(at, at) = moves ? hardness * (1 + charges_[at] / hydrogen_exponent) : hardness;
      for (std::size_t j = 0; j < i; ++j) {
        if (!all && !moves && !is_hydrogen_element(*elements_[j])) continue;
        const auto to = static_cast<Eigen::Index>(j);
        matrix_(at, to) = matrix_(to, at) = between(i, j);
      }
    }
    return any;
  }
  double between(std::size_t i, std::size_t j) const {
    const double r = (places_[i] - places_[j]).norm() * units::bohr_per_angstrom;
    if (!(r > 1e-3))
      throw Error(fmt::format("Atoms {} and {} of a molecule are at the same position.", j + 1, i + 1));
    const auto one = density(i), other = density(j);
    return r > one.reach() + other.reach() ? 1 / r : coulomb_integral(one, other, r);
  }
  Eigen::VectorXd solve() const {
    const Eigen::Index count = charges_.size();
    Eigen::VectorXd right(count + 1);
    for (Eigen::Index i = 0; i < count; ++i)
      right[i] = -elements_[static_cast<std::size_t>(i)]->electronegativity / units::ev_per_hartree;
    right[count] = total_;
    return matrix_.partialPivLu().solve(right).head(count);
  }

  std::span<const Eigen::Vector3d> places_;
  std::vector<const EqualisedElement*> elements_;
  Eigen::VectorXd charges_;
  Eigen::MatrixXd matrix_;
  double total_;
};

}  // namespace

bool can_equalise(int atomic_number) {
  return equalised_element(atomic_number) != nullptr;
}

std::vector<double> equalised_charges(std::span<const int> atomic_numbers,
                                      std::span<const Eigen::Vector3d> places, double total,
                                      const jobs::Progress& progress) {
  constexpr std::size_t most = 4000;
  if (places.empty()) return {};
  if (places.size() > most)
    throw Error(
        fmt::format("A molecule of {} atoms is too large for electronegativity equalisation, which takes {}.",
                    places.size(), most));
  return Equalising(atomic_numbers, places, total).run(progress);
}

}  // namespace isolume::structures
