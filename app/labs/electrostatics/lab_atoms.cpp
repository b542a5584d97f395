/// The lab: the table of atoms, and its file.
#include <QObject>
#include <utility>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/in_sight.h"
#include "core/base/error.h"
#include "core/electrostatics/surfaces/residue_values.h"

namespace isolume::labs::electrostatics {

using workbench::guarded;

namespace {

/// Fitted charges take about as long as a map, and so do potentials at atoms.
TableRows rows_of_atoms(const PictureRequest& request, PotentialsAtAtoms& at_atoms,
                        const std::shared_ptr<const grid::ScalarField>& field,
                        const jobs::Progress& progress) {
  const QString unit = QString::fromStdString(std::string(science::to_text(request.how.unit)));
  if (const auto& wavefunction = request.molecule->wavefunction) {
    return rows_of(std::make_shared<const std::vector<science::WavefunctionAtom>>(
                       wavefunction->atoms(request.quantum.set, request.how, progress)),
                   unit);
  }
  return rows_of(std::make_shared<const AtomPotentials>(
                     AtomPotentials{request.molecule, *at_atoms.of(request, field, progress),
                                    science::kj_per_mol_of_unit(request.how)}),
                 unit);
}

}  // namespace

/// Only who sees the table wants it.
void ElectrostaticsLab::want_atoms() {
  const auto& picture = window_.picture();
  if (!workbench::in_sight(atom_table_) || !picture || !picture->refined) return;
  AtomsOf wanted{molecule_, request_.quantum.set, how_.unit, how_.temperature_kelvin, nullptr};
  if (!molecule_->wavefunction) wanted.field = picture->field;
  if (wanted == listed_) return;
  listed_ = wanted;
  if (!molecule_->wavefunction && !is_potential())
    return atom_table_->set_rows({},
                                 tr("Atoms are listed here where the potential of one molecule is shown."));
  context_.jobs.submit(
      workbench::said(tr("Table of atoms")), "electrostatics.atoms",
      [this, wanted, at_atoms = at_atoms_, request = request_,
       field = picture->field](const jobs::Progress& progress) {
        const auto alone = jobs::exclusive(background_, progress);
        auto rows = rows_of_atoms(request, *at_atoms, field, progress);
        progress.check();
        context_.on_gui_thread(guarded(this, [this, wanted, rows = std::move(rows)] {
          if (atom_table_ && listed_ == wanted) atom_table_->set_rows(rows, {});
        }));
      },
      jobs::Waited::by_nobody);
}

void ElectrostaticsLab::export_atoms(const std::filesystem::path& path) {
  if (molecule_->wavefunction) {
    return window_.write(path, [path, molecule = molecule_, set = request_.quantum.set,
                                how = how_](const jobs::Progress& progress) {
      science::write_wavefunction_atoms(molecule->wavefunction->atoms(set, how, progress),
                                        science::to_text(how.unit), path);
    });
  }
  require_potential();
  window_.write(path, [path, at_atoms = at_atoms_, request = request_,
                       field = refined_picture().field](const auto& progress) {
    science::write_atom_values(request.molecule->charges, *at_atoms->of(request, field, progress),
                               request.how, path);
  });
}

}  // namespace isolume::labs::electrostatics
