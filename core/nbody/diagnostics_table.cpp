#include "core/nbody/diagnostics_table.h"

#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace isolume::nbody {

double energy_error(double energy, double first_energy) {
  return first_energy != 0 ? (energy - first_energy) / std::abs(first_energy) : 0;
}

DiagnosticsTable::DiagnosticsTable(const std::filesystem::path& path) : file_(path) {
  file_.stream() << "step,time,kinetic,potential,energy,energy_error,virial_ratio,px,py,pz,lx,ly,lz,x,y,z";
  for (const double part : Diagnostics::mass_fractions) file_.stream() << fmt::format(",r{:g}", 100 * part);
  file_.stream() << '\n';
}

void DiagnosticsTable::add(std::int64_t step, double time, const Diagnostics& now) {
  if (!first_energy_) first_energy_ = now.energy();
  energy_error_ = nbody::energy_error(now.energy(), *first_energy_);
  const Eigen::Vector3d &p = now.momentum, &l = now.angular_momentum, &c = now.centre_of_mass;
  file_.stream() << fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", step, time,
                                now.kinetic, now.potential, now.energy(), energy_error_, now.virial_ratio(),
                                p.x(), p.y(), p.z(), l.x(), l.y(), l.z(), c.x(), c.y(), c.z(),
                                fmt::join(now.lagrangian_radii, ","));
}

}  // namespace isolume::nbody
