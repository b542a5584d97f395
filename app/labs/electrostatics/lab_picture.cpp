/// The lab: what follows the picture. Residues, field lines, ribbons' colours and ions, and their files.
#include <QEvent>
#include <QObject>
#include <utility>

#include <fmt/format.h>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/in_sight.h"
#include "core/base/error.h"
#include "core/electrostatics/surfaces/residue_values.h"

namespace isolume::labs::electrostatics {

using workbench::guarded;

namespace {

std::vector<science::ResidueValues> residue_values_of(PotentialsAtAtoms& at_atoms,
                                                      const PictureRequest& request,
                                                      const std::shared_ptr<const grid::ScalarField>& field,
                                                      const jobs::Progress& progress) {
  const auto potentials = at_atoms.of(request, field, progress.part(0, 0.7));
  return science::residue_values(request.molecule->charges, *field, *potentials, request.how,
                                 sampled_surface_of(request.view), *request.molecule->surfaces,
                                 progress.part(0.7, 1));
}

}  // namespace

/// The molecule that is drawn is the one whose potential is.
void ElectrostaticsLab::follow_frame(const scene::FieldPicture& picture) {
  if (!request_.frames) return;
  auto molecule = request_.frames->molecule_of(picture.shape ? *picture.shape : *picture.field);
  if (!molecule) molecule = request_.frames->molecule_of(*picture.field);
  if (!molecule || molecule == molecule_) return;
  request_.molecule = molecule;
  // Its places are others.
  want_selection();
  take_ions(nullptr);
  ions_of_.clear();
  static_cast<Display&>(window_.display()).take_molecule();
  window_.restyle();
}

/// Of pictures that will be there for a while.
void ElectrostaticsLab::take(const scene::FieldPicture& picture) {
  follow_frame(picture);
  if (std::exchange(cut_surface_, nullptr)) window_.restyle();  // it was of the picture before
  outline_selection();
  want_numbers();
  if (!picture.refined) return;
  want_ions();
  want_atoms();
  want_values_on_surface();
}

void ElectrostaticsLab::want_values_on_surface() {
  want_residue_values();
  want_patches();
  want_field_lines();
  want_residue_potentials();
}

void ElectrostaticsLab::panels_seen() {
  window_.panels_seen();
  want_residue_values();
  want_atoms();
  want_patches();
}

bool ElectrostaticsLab::eventFilter(QObject* watched, QEvent* event) {
  const bool ends = watched == &context_.view && measured_.ends_with(*event);
  return ends || QObject::eventFilter(watched, event);
}

/// Energies take as long as the map, and only who sees the table wants them.
void ElectrostaticsLab::want_residue_values() {
  const auto& picture = window_.picture();
  if (!workbench::in_sight(table_) || !picture || !picture->refined) return;
  if (!is_potential()) {
    valued_ = {};
    return table_->set_empty(molecule_->wavefunction
                                 ? tr("A wavefunction has no residues.")
                                 : tr("Residue values need the potential of a single frame. Turn off "
                                      "comparison and averaging."));
  }
  const TakenFrom wanted{picture->field, places_on_surface(request_)};
  if (valued_ == wanted) return;
  valued_ = wanted;
  context_.jobs.submit(
      workbench::said(tr("Values of residues")), "electrostatics.residues",
      [this, at_atoms = at_atoms_, request = request_, wanted](const jobs::Progress& progress) {
        const auto alone = jobs::exclusive(background_, progress);
        auto values = std::make_shared<const std::vector<science::ResidueValues>>(
            residue_values_of(*at_atoms, request, wanted.field, progress));
        progress.check();
        context_.on_gui_thread(guarded(this, [this, values, wanted] {
          if (table_ && valued_ == wanted)
            table_->set_values(values, QString::fromStdString(wanted.field->unit));
        }));
      },
      jobs::Waited::by_nobody);
}

void ElectrostaticsLab::want_field_lines() {
  const auto& picture = window_.picture();
  if (!view_.field_lines || !picture || !picture->refined) return;
  const TakenFrom wanted{picture->field, places_of_lines(request_)};
  if (traced_ == wanted) return;
  traced_ = wanted;
  context_.jobs.submit(workbench::said(tr("Field lines")), "electrostatics.field-lines",
                       [this, request = request_, wanted](const jobs::Progress& progress) {
                         auto lines = lines_along_field(request, *wanted.field, progress);
                         progress.check();
                         context_.on_gui_thread(guarded(this, [this, lines, wanted] {
                           if (traced_ != wanted) return;
                           field_lines_ = lines;
                           window_.restyle();
                         }));
                       });
}

void ElectrostaticsLab::want_residue_potentials() {
  const auto& picture = window_.picture();
  if (!wants_residue_potentials(view_) || !picture || !picture->refined) return;
  const TakenFrom wanted{picture->field, places_on_surface(request_)};
  if (painted_ == wanted) return;
  painted_ = wanted;
  context_.jobs.submit(workbench::said(tr("Colours of the ribbon")), "electrostatics.ribbon",
                       [this, request = request_, wanted](const jobs::Progress& progress) {
                         auto potentials = residue_potentials(request, *wanted.field, progress);
                         progress.check();
                         context_.on_gui_thread(guarded(this, [this, potentials, wanted] {
                           if (painted_ != wanted) return;
                           residue_potentials_ = potentials;
                           window_.restyle();
                         }));
                       });
}

/// With the charge of molecule and ions together.
QString ElectrostaticsLab::told(const PlacedIons& ions) const {
  const double together = structures::total_charge(molecule_->charges) + ions.charge();
  return tr("%n ion(s) placed", "", static_cast<int>(ions.all.size())) +
         (ions.all.empty() ? QString() : ": " + QString::fromStdString(ions.counts())) + " | " +
         tr("total charge %1 e").arg(QString::fromStdString(charge_text(together)));
}

/// What cannot be placed is said in the banner and not an error, since a session may hold it, and another pH of the
/// molecule may lead to it.
void ElectrostaticsLab::take_ions(std::shared_ptr<const PlacedIons> ions) {
  const auto why_none = [](const auto& placed) { return placed ? placed->why_none : std::string(); };
  const bool told_otherwise = why_none(ions_) != why_none(ions);
  ions_ = std::move(ions);
  if (told_otherwise) tell_what_is_missing();
}

/// They do not wait for the map, which is another method's.
void ElectrostaticsLab::want_ions() {
  if (view_.ions == IonsShown::none) {
    if (ions_ && !ions_->why_none.empty()) {
      take_ions(nullptr);
      ions_of_.clear();
    }
    return;
  }
  const std::string wanted = asked_ions(request_);
  if (ions_of_ == wanted) return;
  ions_of_ = wanted;
  context_.jobs.submit(workbench::said(tr("Ions")), "electrostatics.ions",
                       [this, request = request_](const jobs::Progress& progress) {
                         std::shared_ptr<const PlacedIons> ions;
                         try {
                           ions = placed_ions(request, progress);
                         } catch (const Error& error) {
                           ions = std::make_shared<const PlacedIons>(PlacedIons{{}, {}, error.what()});
                         }
                         progress.check();
                         context_.on_gui_thread(guarded(this, [this, ions, molecule = request.molecule] {
                           if (molecule_ != molecule) return;
                           if (view_.ions == IonsShown::none) return ions_of_.clear();
                           take_ions(ions);
                           window_.restyle();
                           window_.keep_in_view();  // they lie around the molecule
                           context_.show_status(told(*ions));
                         }));
                       });
}

std::string ElectrostaticsLab::without_ions() const {
  if (!molecule_ || view_.ions != IonsShown::none) return without_molecule();
  return workbench::said(QObject::tr("There are no ions. Place some with electrostatics.ions.toggle."));
}

void ElectrostaticsLab::export_ions(const std::filesystem::path& path, bool with_molecule) {
  if (ions_ && !ions_->why_none.empty()) throw Error(ions_->why_none);
  if (!ions_)
    throw Error(workbench::said(QObject::tr("The ions are still being placed: try again in a moment.")));
  window_.write(path, [path, ions = ions_, molecule = molecule_, with_molecule](const auto& progress) {
    write_ions(*ions, with_molecule ? molecule.get() : nullptr, path, progress);
  });
}

const scene::FieldPicture& ElectrostaticsLab::refined_picture() const {
  window_.require_no_failure();
  const auto& picture = window_.picture();
  if (!picture || !picture->refined)
    throw Error(workbench::said(QObject::tr("The picture is still being computed: try again in a moment.")));
  return *picture;
}

void ElectrostaticsLab::require_potential() const {
  if (is_potential()) return;
  throw Error(workbench::said(
      QObject::tr("This needs the potential of a single frame. Turn off comparison and averaging.")));
}

void ElectrostaticsLab::export_residues(const std::filesystem::path& path) {
  require_potential();
  window_.write(path, [path, at_atoms = at_atoms_, request = request_,
                       field = refined_picture().field](const auto& progress) {
    science::write_residue_values(residue_values_of(*at_atoms, request, field, progress), field->unit, path);
  });
}

void ElectrostaticsLab::export_field_lines(const std::filesystem::path& path) {
  window_.write(path, [path, request = request_, field = refined_picture().field](const auto& progress) {
    write_field_lines(*lines_along_field(request, *field, progress), field->unit, path);
  });
}

}  // namespace isolume::labs::electrostatics
