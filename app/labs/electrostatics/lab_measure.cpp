/// The lab: distances and angles between atoms.
#include <QObject>
#include <optional>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "core/molecules/geometry.h"

namespace isolume::labs::electrostatics {

fields::MeasuredAtoms::Lab ElectrostaticsLab::measuring() {
  return {.name = "electrostatics",
          .molecule = [this] { return molecule_ ? &molecule_->molecule : nullptr; },
          .text = [this] { return measured_text(); },
          .show = [this] { window_.restyle(); },
          .tell = [this] { tell_measured(); }};
}

void ElectrostaticsLab::tell_measured() {
  if (measured_.empty()) return context_.show_status(tr("Measurement cleared"));
  context_.show_status(QString::fromStdString(measured_text()));
}

/// "THR A 1, N–CA: 1.439 Å", "LYS A 12, NZ–ASP A 30, OD1: 2.804 Å": a residue is named once, to hide little of a
/// protein.
std::string ElectrostaticsLab::measured_text() const {
  const auto& atoms = measured_.atoms();
  std::string text;
  std::optional<std::size_t> before;
  for (const int each : atoms) {
    const auto atom = static_cast<std::size_t>(each);
    text += (before ? "–" : "") + atom_name(*molecule_, atom, before);
    before = atom;
  }
  if (atoms.size() > 1) text += ": " + molecules::measurement(molecule_->molecule, atoms).text();
  return text;
}

}  // namespace isolume::labs::electrostatics
