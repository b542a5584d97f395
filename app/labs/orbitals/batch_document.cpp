#include "app/labs/orbitals/batch_document.h"

#include <ostream>

#include <fmt/format.h>

namespace isolume::batch {

molecules::Document read(Context& context, const std::string& file, double progress_until) {
  auto document = molecules::read_document(file, context.progress.part(0, progress_until));
  report(context, file, document.remarks);
  return document;
}

void explain_spin(Context& context, const std::string& file, const molecules::Document& document,
                  const orbitals::FieldParameters& parameters) {
  const auto set = static_cast<std::size_t>(parameters.set - 1);
  if (!document.wavefunction || set >= document.wavefunction->sets.size()) return;
  using Kind = orbitals::FieldKind;
  const bool whole = parameters.field == Kind::density || parameters.field == Kind::alpha_density ||
                     parameters.field == Kind::beta_density || parameters.field == Kind::spin_density;
  if (whole || parameters.spin != molecules::Spin::beta || document.wavefunction->sets[set].unrestricted())
    return;
  complain(context.err,
           fmt::format("{}: the calculation is restricted, so both spins share one list of orbitals; with "
                       "--spin beta, homo and lumo are those of the beta electrons.",
                       file));
}

const molecules::Wavefunction& wavefunction_of(const molecules::Document& document) {
  if (!document.wavefunction) {
    throw InputError(document.path, 0, fmt::format("this {} file holds no orbitals", document.format),
                     "Use a Molden, FCHK or GAMESS file of the calculation.");
  }
  return *document.wavefunction;
}

}  // namespace isolume::batch
