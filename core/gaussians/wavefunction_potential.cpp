#include "core/gaussians/wavefunction_potential.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::gaussians {
namespace {

HermiteDensity charge_density(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                              double tolerance, const jobs::Progress& progress) {
  for (std::size_t a = 0; a < wavefunction.molecule.atoms.size(); ++a) {
    const auto& atom = wavefunction.molecule.atoms[a];
    if (!atom.position_bohr.allFinite() || !std::isfinite(atom.nuclear_charge))
      throw Error(fmt::format("The position or charge of atom {} is not finite.", a + 1));
  }
  if (!set.coefficients.allFinite()) throw Error("There are orbital coefficients that are not finite.");
  HermiteDensity density = electron_density(wavefunction, set, tolerance, progress);
  for (double& each : density.coefficients) each = -each;
  return density;
}

}  // namespace

WavefunctionPotential::WavefunctionPotential(const molecules::Wavefunction& wavefunction,
                                             const molecules::OrbitalSet& set, double tolerance,
                                             const jobs::Progress& progress)
    : WavefunctionPotential(wavefunction,
                            charge_density(wavefunction, set, tolerance / 2, progress.part(0, 0.6)),
                            tolerance / 2, progress.part(0.6, 1)) {}

WavefunctionPotential::WavefunctionPotential(const molecules::Wavefunction& wavefunction,
                                             HermiteDensity density, double tolerance,
                                             const jobs::Progress& progress)
    : electrons_(-density.integral()),
      dipole_(density.first_moment()),
      sites_(density, wavefunction.molecule, tolerance, progress) {
  Eigen::Vector3d of_nuclei = Eigen::Vector3d::Zero();
  for (const auto& atom : wavefunction.molecule.atoms) {
    const auto& place = atom.position_bohr;
    nuclear_charge_ += atom.nuclear_charge;
    of_nuclei += atom.nuclear_charge * place;
    if (atom.nuclear_charge != 0) nuclei_.push_back({place.x(), place.y(), place.z(), atom.nuclear_charge});
  }
  dipole_ += of_nuclei;
  const double charge = nuclear_charge_ - electrons_;
  constexpr double least_net_charge = 1e-3;
  if (std::abs(charge) > least_net_charge && nuclear_charge_ > 0)
    dipole_ -= charge / nuclear_charge_ * of_nuclei;
}

void WavefunctionPotential::evaluate(PointTile& tile, double nearest, const jobs::Progress& progress) const {
  std::fill(tile.potential, tile.potential + PointTile::capacity, 0.0);
  sites_.add_to(tile, progress);
  add_nuclei(tile, nuclei_.data(), nuclei_.size(), nearest);
}

}  // namespace isolume::gaussians
