/// The lab: distances and angles between atoms.
#include <QObject>

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
  if (measured_.empty()) return context_.show_status(tr("Nothing is measured"));
  std::string text;
  for (const int atom : measured_.atoms())
    text += (text.empty() ? "" : " – ") + atom_name(*molecule_, static_cast<std::size_t>(atom));
  if (measured_.atoms().size() > 1) text += ": " + measured_text();
  context_.show_status(QString::fromStdString(text));
}

/// Without the names of the atoms, which would hide much of a protein; the name of a single atom.
std::string ElectrostaticsLab::measured_text() const {
  const auto& atoms = measured_.atoms();
  if (atoms.empty()) return {};
  if (atoms.size() == 1) return atom_name(*molecule_, static_cast<std::size_t>(atoms.front()));
  return molecules::measurement(molecule_->molecule, atoms).text();
}

}  // namespace isolume::labs::electrostatics
