#include "app/labs/electrostatics/batch/wavefunction_input.h"

#include <cmath>

#include <fmt/format.h>

#include "app/batch/parameter_flags.h"
#include "core/grid/grid.h"

namespace isolume::batch {

void add_wavefunction_options(CLI::App& verb, Context& context, WavefunctionOptions& options) {
  add_option(verb, context, &options.set,
             commands::integer("set", "Orbital set of the wavefunction; by default the first")
                 .group("Wavefunction")
                 .range(1, 1000)
                 .optional());
}

void check_charges_alone(const CLI::App& verb) {
  if (given(verb, "set"))
    throw UsageError("--set chooses the orbital set of a wavefunction; this file holds none. Leave it out.");
}

double WavefunctionInput::electrons_by_occupations() const {
  const auto count = molecules::electrons_from_occupations(set());
  return count.alpha + count.beta;
}

double WavefunctionInput::core_electrons() const {
  double sum = 0;
  for (const auto& atom : wavefunction().molecule.atoms) {
    if (atom.nuclear_charge > 0) sum += atom.atomic_number - atom.nuclear_charge;
  }
  return sum;
}

WavefunctionInput read_wavefunction(Context& context, const std::string& file,
                                    const WavefunctionOptions& options, double progress_until) {
  WavefunctionInput input{molecules::read_document(file, context.progress.part(0, progress_until)), 0};
  if (!input.document.wavefunction) {
    throw InputError(file, 0, fmt::format("this {} file holds no orbitals", input.document.format),
                     "Give a Molden, FCHK or WFX file of the calculation.");
  }
  report(context, file, input.document.remarks);
  const auto sets = input.wavefunction().sets.size();
  if (options.set) {
    if (static_cast<std::size_t>(*options.set) > sets)
      throw UsageError(fmt::format("{}: there is no set {} of orbitals. Give one from 1 to {}.", file,
                                   *options.set, sets));
    input.set_index = static_cast<std::size_t>(*options.set - 1);
  }
  return input;
}

double shown_charge(double charge) {
  return std::abs(charge) < 5e-5 ? 0 : charge;
}

structures::Box box_in_angstrom(const molecules::Molecule& molecule) {
  const auto box = molecules::nuclei_box(molecule);
  const double angstrom = grid::shown_per_unit(grid::LengthUnit::bohr);
  return {angstrom * box.low_bohr, angstrom * box.high_bohr};
}

}  // namespace isolume::batch
