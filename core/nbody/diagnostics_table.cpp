#include "core/nbody/diagnostics_table.h"

#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace isolume::nbody {

namespace {

constexpr std::string_view force_error_columns = ",force_error_50,force_error_90,force_error_99\n";

std::string heading_of(const Diagnostics& first) {
  if (first.expansion) {
    return fmt::format(
        "step,scale_factor,redshift,kinetic,potential,energy,energy_lost,energy_error,px,py,pz{}",
        force_error_columns);
  }
  std::string text = "step,time,kinetic,potential,energy,energy_error,virial_ratio,px,py,pz,lx,ly,lz,x,y,z";
  for (const double part : Diagnostics::mass_fractions) text += fmt::format(",r{:g}", 100 * part);
  return fmt::format("{}{}", text, force_error_columns);
}

}  // namespace

DiagnosticsTable::DiagnosticsTable(const std::filesystem::path& path) : file_(path) {}

void DiagnosticsTable::add(std::int64_t step, double time, const RunOptions& options, const Diagnostics& now,
                           const std::optional<SampledErrors>& force_error) {
  if (std::exchange(empty_, false)) file_.stream() << heading_of(now);
  energy_.take(step, now, options);
  const double error = energy_.error(now);
  const Eigen::Vector3d &p = now.momentum, &l = now.angular_momentum, &c = now.centre_of_mass;
  const std::string errors =
      force_error ? fmt::format("{},{},{}", force_error->median, force_error->p90, force_error->p99) : ",,";
  if (now.expansion) {
    file_.stream() << fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", step, now.expansion->scale_factor,
                                  now.expansion->redshift(), now.kinetic, now.potential, now.energy(),
                                  now.expansion->energy_lost, error, p.x(), p.y(), p.z(), errors);
    return;
  }
  file_.stream() << fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", step, time,
                                now.kinetic, now.potential, now.energy(), error, now.virial_ratio(), p.x(),
                                p.y(), p.z(), l.x(), l.y(), l.z(), c.x(), c.y(), c.z(),
                                fmt::join(now.lagrangian_radii, ","), errors);
}

}  // namespace isolume::nbody
