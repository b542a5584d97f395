#include "core/nbody/runs/diagnostics_table.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/nbody/bodies/dimensions.h"

namespace isolume::nbody {

namespace {

constexpr std::string_view force_error_columns = ",force_error_50,force_error_90,force_error_99\n";

/// What in_units() gives the numbers in.
std::string comment_on(const Units& units) {
  return fmt::format(
      "# time in {3}, x, y, z and radii in {0}, px, py, pz in {2} {1}, lx, ly, lz in {2} {0} {1}, energies "
      "in {2} ({1})^2, G = {4} {0} ({1})^2/({2})\n",
      length_unit(units).name, speed_unit(units).name, mass_unit(units).name, time_unit(units).name,
      // Lengths times squared speeds over masses.
      units.gravitation * length_unit(units).size / mass_unit(units).size *
          in_units(1, Dimension::potential, units));
}

std::string heading_of(const Diagnostics& first, bool collides) {
  if (first.expansion) {
    return fmt::format(
        "step,scale_factor,redshift,kinetic,potential,energy,energy_lost,energy_error,px,py,pz{}",
        force_error_columns);
  }
  std::string text =
      fmt::format("step,time,kinetic,potential,energy,{}energy_error,virial_ratio,px,py,pz,lx,ly,lz,x,y,z",
                  collides ? "collisions,kinetic_energy_lost,potential_energy_change," : "");
  for (const double part : Diagnostics::mass_fractions) text += fmt::format(",r{:g}", 100 * part);
  return fmt::format("{}{}", text, force_error_columns);
}

std::string line_of(std::int64_t step, double time, const Diagnostics& now, double error, bool collides,
                    const std::optional<SampledErrors>& force_error, const std::optional<Units>& units) {
  const auto in = [&units](Dimension dimension, const auto& values) {
    std::vector<double> all;
    for (const double each : values) all.push_back(in_units(each, dimension, units));
    return fmt::format("{}", fmt::join(all, ","));
  };
  const auto energies = [&](std::initializer_list<double> values) { return in(Dimension::energy, values); };
  const std::string momentum = in(Dimension::momentum, now.momentum);
  const std::string errors =
      force_error ? fmt::format("{},{},{}", force_error->median, force_error->p90, force_error->p99) : ",,";
  if (now.expansion) {
    return fmt::format("{},{},{},{},{},{},{}\n", step, now.expansion->scale_factor, now.expansion->redshift(),
                       energies({now.kinetic, now.potential, now.energy(), now.expansion->energy_lost}),
                       error, momentum, errors);
  }
  const std::string lost =
      collides ? fmt::format("{},{},", now.collisions.count,
                             energies({now.collisions.kinetic_lost, now.collisions.potential_change()}))
               : "";
  return fmt::format("{},{},{},{}{},{},{},{},{},{},{}\n", step, in_units(time, Dimension::time, units),
                     energies({now.kinetic, now.potential, now.energy()}), lost, error, now.virial_ratio(),
                     momentum, in(Dimension::angular_momentum, now.angular_momentum),
                     in(Dimension::length, now.centre_of_mass), in(Dimension::length, now.lagrangian_radii),
                     errors);
}

}  // namespace

DiagnosticsTable::DiagnosticsTable(const std::filesystem::path& path) : path_(path) {
  atomic_.emplace(path);
}

DiagnosticsTable::DiagnosticsTable(const std::filesystem::path& path, PartialFile::Start start)
    : path_(path) {
  partial_.emplace(path, start);
  lines_.open(partial_->path(), std::ios::app);
}

namespace {

/// The heading and the lines up to and including that of a step; empty if the step has no line.
std::string lines_up_to(std::int64_t step, const std::string& text) {
  std::size_t end = text.find('\n');
  for (std::size_t begin = end; begin != std::string::npos; begin = end) {
    end = text.find('\n', ++begin);
    std::int64_t of_line = -1;
    std::from_chars(text.data() + begin, text.data() + text.size(), of_line);
    if (of_line == step && end != std::string::npos) return text.substr(0, end + 1);
  }
  return {};
}

}  // namespace

DiagnosticsTable::DiagnosticsTable(const std::filesystem::path& path, std::int64_t step,
                                   const Diagnostics& first, const RunOptions& options,
                                   const std::optional<Units>& units)
    : path_(path) {
  // Checked before it is renamed: another file stays as it is.
  const std::filesystem::path partial = partial_name(path);
  const std::filesystem::path found = std::filesystem::exists(partial) ? partial : path;
  if (!std::filesystem::exists(found)) PartialFile(path, PartialFile::Start::continued);  // throws
  const std::string kept = lines_up_to(step, read_text_file(found));
  if (kept.empty()) {
    throw InputError(found, 0, fmt::format("has no line for step {}, after which the run is continued", step),
                     "Continue it without --diagnostics.");
  }
  const std::string comment = units ? comment_on(*units) : std::string();
  collides_ = options.collisions != Collisions::none;
  if (!kept.starts_with(comment + heading_of(first, collides_))) {
    throw InputError(found, 0, "has other units or columns than a table that this version writes",
                     "Continue it without --diagnostics.");
  }
  partial_.emplace(path, PartialFile::Start::continued);
  units_ = units;
  energy_.take(0, first, options);
  empty_ = false;
  AtomicFile shortened(partial_->path());
  shortened.stream() << kept;
  shortened.commit();
  lines_.open(partial_->path(), std::ios::app);
}

DiagnosticsTable::~DiagnosticsTable() {
  if (partial_ && empty_) partial_->discard();
}

void DiagnosticsTable::finish() {
  if (atomic_) return atomic_->commit();
  lines_.close();
  partial_->publish();
}

void DiagnosticsTable::add(std::int64_t step, double time, const RunOptions& options, const Diagnostics& now,
                           const std::optional<SampledErrors>& force_error,
                           const std::optional<double>& energy_error) {
  std::ostream& out = atomic_ ? atomic_->stream() : lines_;
  if (std::exchange(empty_, false)) {
    if (units_) out << comment_on(*units_);
    collides_ = collides_ || options.collisions != Collisions::none;
    out << heading_of(now, collides_);
  }
  energy_.take(step, now, options);
  out << line_of(step, time, now, energy_error.value_or(energy_.error(now)), collides_, force_error, units_);
  if (atomic_) return;  // errors are reported by finish()
  errno = 0;
  if (!lines_.flush()) {
    throw Error(fmt::format("{}: could not be written ({}). Free some space or choose another folder.",
                            path_.string(),
                            errno != 0 ? std::strerror(errno) : "the system does not say why"));
  }
}

}  // namespace isolume::nbody
