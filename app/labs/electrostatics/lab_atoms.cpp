/// The lab: the table of atoms, and its file.
#include <QObject>
#include <utility>

#include <fmt/format.h>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/workbench/contract/in_sight.h"
#include "core/base/error.h"
#include "core/electrostatics/surfaces/residue_values.h"

namespace isolume::labs::electrostatics {

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

/// Only who sees the table wants it. The atoms of a wavefunction do not depend on the map.
AtomsNode::Declaration ElectrostaticsLab::atoms_node() {
  return {.name = workbench::said(tr("Table of atoms")),
          .channel = "electrostatics.atoms",
          .inputs = [this]() -> std::optional<MapInputs> {
            if (!workbench::in_sight(atom_table_)) return std::nullopt;
            auto inputs = inputs_of_map(fmt::format("{} {} {}", request_.quantum.set,
                                                    static_cast<int>(how_.unit), how_.temperature_kelvin));
            if (inputs && molecule_->wavefunction) inputs->field = nullptr;
            if (inputs && !molecule_->wavefunction && !is_potential())
              inputs->why_none = tr("Atoms are listed here where the potential of one molecule is shown.");
            return inputs;
          },
          .compute =
              [at_atoms = at_atoms_](const MapInputs& of, const jobs::Progress& progress) {
                auto table = std::make_shared<RowsOrReason<TableRows>>();
                table->why_none = of.why_none;
                if (of.why_none.isEmpty())
                  table->rows = rows_of_atoms(of.request, *at_atoms, of.field, progress);
                return table;
              },
          .taken =
              [this](const auto& table) {
                if (atom_table_)
                  atom_table_->set_rows(table ? table->rows : TableRows(),
                                        table ? table->why_none : QString());
              },
          .waited = jobs::Waited::by_nobody,
          .alone = &background_};
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
