#pragma once

#include <optional>
#include <string>

#include "app/batch/context.h"
#include "core/molecules/document.h"
#include "core/structures/charges.h"

namespace isolume::batch {

/// Which orbitals of a wavefunction: the options of verbs that take one.
struct WavefunctionOptions {
  std::optional<int> set;
};
void add_wavefunction_options(CLI::App& verb, Context& context, WavefunctionOptions& options);
/// Throws UsageError where these options were given, though the file is one of charges or a structure.
void check_charges_alone(const CLI::App& verb);

struct WavefunctionInput {
  molecules::Document document;  ///< with a wavefunction
  std::size_t set_index = 0;

  const molecules::Wavefunction& wavefunction() const { return *document.wavefunction; }
  const molecules::OrbitalSet& set() const { return wavefunction().sets[set_index]; }
  double electrons_by_occupations() const;
  /// Those that effective cores stand for.
  double core_electrons() const;
};
/// Its remarks go to `err`, a line each. Throws InputError where the file holds no orbitals, UsageError for a set that is not
/// there, Cancelled.
WavefunctionInput read_wavefunction(Context& context, const std::string& file,
                                    const WavefunctionOptions& options, double progress_until);

/// For four decimals: what rounds to nothing is 0, not -0.
double shown_charge(double charge);

/// Around the nuclei.
structures::Box box_in_angstrom(const molecules::Molecule& molecule);

}  // namespace isolume::batch
