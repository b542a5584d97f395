/// The lab: the table of a wavefunction's atoms, and its file.
#include <QObject>
#include <utility>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/workbench/guarded.h"
#include "core/base/error.h"

namespace isolume::labs::electrostatics {

using workbench::guarded;

/// Fitted charges take about as long as a map, and only who sees the table wants them.
void ElectrostaticsLab::want_atoms() {
  const auto& picture = window_.picture();
  if (!atom_table_ || !atom_table_->isVisible() || !picture || !picture->refined) return;
  const AtomsOf wanted{molecule_, request_.quantum.set, how_.unit, how_.temperature_kelvin};
  if (wanted == listed_) return;
  listed_ = wanted;
  if (!molecule_->wavefunction) return atom_table_->set_atoms(nullptr, {});
  context_.jobs.submit(
      workbench::said(tr("Charges of atoms")), "electrostatics.atoms",
      [this, wanted, how = how_](const jobs::Progress& progress) {
        auto atoms = std::make_shared<const std::vector<science::WavefunctionAtom>>(
            wanted.molecule->wavefunction->atoms(wanted.set, how, progress));
        progress.check();
        context_.on_gui_thread(guarded(this, [this, wanted, atoms] {
          if (!atom_table_ || listed_ != wanted) return;
          const auto unit = science::to_text(wanted.unit);
          atom_table_->set_atoms(atoms, QString::fromUtf8(unit.data(), static_cast<int>(unit.size())));
        }));
      },
      jobs::Waited::by_nobody);
}

std::string ElectrostaticsLab::without_atoms() const {
  if (!molecule_ || molecule_->wavefunction) return without_molecule();
  return workbench::said(QObject::tr("This table is of a wavefunction's atoms, and the file holds charges."));
}

void ElectrostaticsLab::export_atoms(const std::filesystem::path& path) {
  window_.write(path, [path, molecule = molecule_, set = request_.quantum.set,
                       how = how_](const jobs::Progress& progress) {
    science::write_wavefunction_atoms(molecule->wavefunction->atoms(set, how, progress),
                                      science::to_text(how.unit), path);
  });
}

}  // namespace isolume::labs::electrostatics
