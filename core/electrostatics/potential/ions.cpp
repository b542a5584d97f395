#include "core/electrostatics/potential/ions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/shown_number.h"
#include "core/base/units.h"
#include "core/electrostatics/potential/potential.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;

class IonPlacer {
 public:
  IonPlacer(grid::ScalarField field, const PotentialOptions& options)
      : field_(std::move(field)), options_(options), is_taken_(field_.grid.point_count()) {
    if (options_.method == Method::fmm || options_.method == Method::multilevel)
      options_ = by_method(options_, Method::direct);
  }

  /// Excludes grid points closer than this to a position.
  void keep_away(const Vector3d& place, double distance) {
    const auto& grid = field_.grid;
    const double angstrom = grid::shown_per_unit(grid.unit);
    // On a rotated grid, the range of indices along an axis depends on the corresponding row of the inverse.
    const Eigen::Matrix3d inverse = (grid.step * angstrom).inverse();
    const Vector3d middle = grid.index_at(place / angstrom);
    std::array<int, 3> from{}, to{};
    for (int axis = 0; axis < 3; ++axis) {
      const double reach = distance * inverse.row(axis).norm();
      const double last = grid.dimensions[static_cast<std::size_t>(axis)] - 1;
      if (middle[axis] + reach < 0 || middle[axis] - reach > last) return;
      from[static_cast<std::size_t>(axis)] = static_cast<int>(std::ceil(std::max(0.0, middle[axis] - reach)));
      to[static_cast<std::size_t>(axis)] = static_cast<int>(std::floor(std::min(last, middle[axis] + reach)));
    }
    for (int k = from[2]; k <= to[2]; ++k) {
      for (int j = from[1]; j <= to[1]; ++j) {
        for (int i = from[0]; i <= to[0]; ++i) {
          if ((grid.position(i, j, k) * angstrom - place).squaredNorm() < distance * distance)
            is_taken_[index(i, j, k)] = 1;
        }
      }
    }
  }

  /// The free point with the lowest charge times potential; nothing if all are taken.
  std::optional<PlacedIon> best(double charge) const {
    std::size_t found = is_taken_.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < is_taken_.size(); ++i) {
      if (is_taken_[i] != 0) continue;
      const double energy = charge * static_cast<double>(field_.values[i]);
      if (energy < least) {
        least = energy;
        found = i;
      }
    }
    if (found == is_taken_.size()) return std::nullopt;
    const auto nx = static_cast<std::size_t>(field_.grid.dimensions[0]),
               ny = static_cast<std::size_t>(field_.grid.dimensions[1]);
    const Vector3d place =
        field_.grid.position(static_cast<double>(found % nx), static_cast<double>(found / nx % ny),
                             static_cast<double>(found / nx / ny)) *
        grid::shown_per_unit(field_.grid.unit);
    return PlacedIon{place, charge, static_cast<double>(field_.values[found])};
  }

  void add(const PlacedIon& ion, const jobs::Progress& progress) {
    const structures::Charges one{{ion.place.x()}, {ion.place.y()}, {ion.place.z()}, {ion.charge}, {0}, {}};
    const auto its = potential_on(field_.grid, one, options_, progress).values;
    const float* from = its.values.data();
    float* to = field_.values.data();
    for (std::size_t i = 0; i < is_taken_.size(); ++i) to[i] += from[i];
  }

 private:
  std::size_t index(int i, int j, int k) const {
    const auto& n = field_.grid.dimensions;
    return static_cast<std::size_t>(i) +
           static_cast<std::size_t>(n[0]) *
               (static_cast<std::size_t>(j) + static_cast<std::size_t>(n[1]) * k);
  }

  grid::ScalarField field_;
  PotentialOptions options_;
  std::vector<char> is_taken_;
};

void check_ions(std::span<const double> charges, const PotentialOptions& options,
                const IonDistances& distances) {
  if (is_poisson_boltzmann(options.method) || options.method == Method::pme) {
    throw Error(
        "Ions are placed by sums over charges without a box. Take the method direct, cutoff, debye-hueckel, "
        "fmm or multilevel.");
  }
  for (const double charge : charges) {
    if (!(std::abs(charge) > 0 && std::abs(charge) <= structures::most_magnitude))
      throw Error(fmt::format("An ion's charge is {}. Give a number that is not 0.", charge));
  }
  for (const double distance : {distances.to_solute, distances.to_ions}) {
    if (!(distance > 0 && distance <= structures::most_magnitude))
      throw Error(fmt::format("An ion's distance is {} angstrom. Give a length above 0.", distance));
  }
}

}  // namespace

std::vector<double> counter_ions(double solute_charge) {
  const auto count = static_cast<std::size_t>(std::round(std::abs(solute_charge)));
  return std::vector<double>(count, solute_charge > 0 ? -1 : 1);
}

std::vector<double> neutralising_ions(double solute_charge, double ion_charge) {
  const double count = std::round(-solute_charge / ion_charge);
  if (count < 0) {
    throw Error(
        fmt::format("The molecule's charge is {} e, and ions of {:+g} e do not neutralise it. Take "
                    "ions of the other sign.",
                    shown_reading(solute_charge), ion_charge));
  }
  constexpr double most_ions = 1e6;
  if (!(count <= most_ions))
    throw Error(
        fmt::format("{:.0f} ions of {:+g} e are too many. Take ions of a larger charge.", count, ion_charge));
  return std::vector<double>(static_cast<std::size_t>(count), ion_charge);
}

std::size_t salt_units(double molar, const grid::Grid& grid) {
  constexpr double litres_per_cubic_angstrom = 1e-27;
  double volume = std::pow(grid::shown_per_unit(grid.unit), 3) * grid.cell_volume();
  for (const int points : grid.dimensions) volume *= points - 1;
  return static_cast<std::size_t>(std::round(molar * units::avogadro * litres_per_cubic_angstrom * volume));
}

structures::Charges with_ions(structures::Charges charges, const std::vector<PlacedIon>& ions,
                              const std::vector<std::string>& names) {
  const int before = charges.labels.empty() ? 0 : charges.labels.back().number;
  for (std::size_t i = 0; i < ions.size(); ++i) {
    structures::add_atom(charges, ions[i].place, ions[i].charge, 0,
                         {.atom = names[i],
                          .residue = names[i],
                          .chain = "",
                          .number = before + static_cast<int>(i) + 1,
                          .is_hetero = true});
  }
  return charges;
}

std::string_view usual_ion(double charge) {
  if (charge == 1) return "NA";
  if (charge == -1) return "CL";
  return charge == 2 ? "MG" : "";
}

std::vector<PlacedIon> place_ions(const grid::Grid& grid, const structures::Charges& solute,
                                  std::span<const double> charges, const PotentialOptions& options,
                                  const IonDistances& distances, const jobs::Progress& progress) {
  check_ions(charges, options, distances);
  constexpr double of_solute = 0.5;
  IonPlacer placer(potential_on(grid, solute, options, progress.part(0, of_solute)).values, options);
  for (std::size_t i = 0; i < solute.size(); ++i) {
    progress.check();
    placer.keep_away(solute.place(i), distances.to_solute);
  }
  std::vector<PlacedIon> ions;
  for (const double charge : charges) {
    progress.check();
    const auto ion = placer.best(charge);
    if (!ion) {
      throw Error(
          fmt::format("Ion {} of {} has no room: no point of the grid is {} angstrom away from all atoms and "
                      "{} from all ions. Take a larger margin, or smaller distances.",
                      ions.size() + 1, charges.size(), distances.to_solute, distances.to_ions));
    }
    ions.push_back(*ion);
    if (ions.size() == charges.size()) break;
    placer.keep_away(ion->place, distances.to_ions);
    const double done =
        of_solute + (1 - of_solute) * static_cast<double>(ions.size()) / static_cast<double>(charges.size());
    progress.report(done, "potential");
    placer.add(*ion, progress.part(done, done));
  }
  return ions;
}

}  // namespace isolume::electrostatics
