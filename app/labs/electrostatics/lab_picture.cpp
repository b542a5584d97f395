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
  ions_.forget();  // they are elsewhere about it
  static_cast<Display&>(window_.display()).take_molecule();
  window_.restyle();
}

void ElectrostaticsLab::take(const scene::FieldPicture& picture) {
  follow_frame(picture);
  ++pictures_;
  show_energy();
  {
    const jobs::Activity::Scope for_nobody(nullptr);  // a command ends with its picture
    energy_.update();
    difference_.update();
  }
  graph_.update();
}

void ElectrostaticsLab::panels_seen() {
  window_.panels_seen();
  if (molecule_) graph_.update();
}

bool ElectrostaticsLab::eventFilter(QObject* watched, QEvent* event) {
  const bool ends = watched == &context_.view && measured_.ends_with(*event);
  return ends || QObject::eventFilter(watched, event);
}

/// Of refined pictures alone: previews are replaced at once.
std::optional<MapInputs> ElectrostaticsLab::inputs_of_map(std::string key) const {
  if (!is_refined()) return std::nullopt;
  return MapInputs{{request_, std::move(key)}, window_.picture()->field};
}

/// Empty while another picture is computed: what is said of this one would soon be wrong.
std::optional<PictureInputs> ElectrostaticsLab::inputs_of_picture() const {
  if (!is_refined() || window_.awaiting()) return std::nullopt;
  return PictureInputs{pictures_, *window_.picture(), request_};
}

/// Energies take as long as the map, and only who sees the table wants them.
ResidueValuesNode::Declaration ElectrostaticsLab::residue_values_node() {
  using Table = RowsOrReason<std::shared_ptr<const std::vector<science::ResidueValues>>>;
  return {.name = workbench::said(tr("Values of residues")),
          .channel = "electrostatics.residues",
          .inputs = [this]() -> std::optional<MapInputs> {
            if (!workbench::in_sight(table_)) return std::nullopt;
            auto inputs = inputs_of_map(places_on_surface(request_));
            if (inputs && !is_potential())
              inputs->why_none = molecule_->wavefunction ? tr("A wavefunction has no residues.")
                                                         : tr("Residue values need the potential of a single "
                                                              "frame. Turn off comparison and averaging.");
            return inputs;
          },
          .compute =
              [at_atoms = at_atoms_](const MapInputs& of, const jobs::Progress& progress) {
                auto table = std::make_shared<Table>();
                table->why_none = of.why_none;
                table->unit = QString::fromStdString(of.field->unit);
                if (of.why_none.isEmpty())
                  table->rows = std::make_shared<const std::vector<science::ResidueValues>>(
                      residue_values_of(*at_atoms, of.request, of.field, progress));
                return table;
              },
          .taken =
              [this](const auto& table) {
                if (!table_) return;
                if (table && !table->why_none.isEmpty()) return table_->set_empty(table->why_none);
                table_->set_values(table ? table->rows : nullptr, table ? table->unit : QString());
              },
          .waited = jobs::Waited::by_nobody,
          .alone = &background_};
}

FieldLinesNode::Declaration ElectrostaticsLab::field_lines_node() {
  return {.name = workbench::said(tr("Field lines")),
          .channel = "electrostatics.field-lines",
          .inputs = [this]() -> std::optional<MapInputs> {
            if (!view_.field_lines || !is_refined()) return std::nullopt;
            return inputs_of_map(places_of_lines(request_));
          },
          .compute = [](const MapInputs& of,
                        const auto& progress) { return lines_along_field(of.request, *of.field, progress); },
          .taken = [this](const auto&) { window_.restyle(); }};
}

ResiduePotentialsNode::Declaration ElectrostaticsLab::residue_potentials_node() {
  return {.name = workbench::said(tr("Colours of the ribbon")),
          .channel = "electrostatics.ribbon",
          .inputs = [this]() -> std::optional<MapInputs> {
            if (!wants_residue_potentials(view_)) return std::nullopt;
            return inputs_of_map(places_on_surface(request_));
          },
          .compute = [](const MapInputs& of,
                        const auto& progress) { return residue_potentials(of.request, *of.field, progress); },
          .taken = [this](const auto&) { window_.restyle(); }};
}

/// With the charge of molecule and ions together.
QString ElectrostaticsLab::told(const PlacedIons& ions) const {
  const double together = structures::total_charge(molecule_->charges) + ions.charge();
  return tr("%n ion(s) placed", "", static_cast<int>(ions.all.size())) +
         (ions.all.empty() ? QString() : ": " + QString::fromStdString(ions.counts())) + " | " +
         tr("total charge %1 e").arg(QString::fromStdString(charge_text(together)));
}

/// They do not wait for the map, which is another method's. What cannot be placed is said in the banner and not an error,
/// since a session may hold it, and another pH of the molecule may lead to it.
IonsNode::Declaration ElectrostaticsLab::ions_node() {
  return {.name = workbench::said(tr("Ions")),
          .channel = "electrostatics.ions",
          .inputs = [this]() -> std::optional<RequestInputs> {
            if (view_.ions == IonsShown::none || playback_.playing()) return std::nullopt;
            return RequestInputs{request_, asked_ions(request_)};
          },
          .compute = [](const RequestInputs& of,
                        const jobs::Progress& progress) -> std::shared_ptr<const PlacedIons> {
            try {
              return placed_ions(of.request, progress);
            } catch (const Error& error) {
              return std::make_shared<const PlacedIons>(PlacedIons{{}, {}, error.what()});
            }
          },
          .taken =
              [this](const auto& ions) {
                if (why_no_ions_ != why_no_ions()) tell_what_is_missing();
                window_.restyle();
                if (!ions) return;
                window_.keep_in_view();  // they lie around the molecule
                context_.show_status(told(*ions));
              }};
}

std::string ElectrostaticsLab::why_no_ions() const {
  return view_.ions != IonsShown::none && ions_.value() ? ions_.value()->why_none : std::string();
}

std::string ElectrostaticsLab::without_ions() const {
  if (!molecule_ || view_.ions != IonsShown::none) return without_molecule();
  return workbench::said(QObject::tr("There are no ions. Place some with electrostatics.ions.toggle."));
}

void ElectrostaticsLab::export_ions(const std::filesystem::path& path, bool with_molecule) {
  if (const auto why = why_no_ions(); !why.empty()) throw Error(why);
  if (!ions_.value() || !ions_.settled())
    throw Error(workbench::said(QObject::tr("The ions are still being placed: try again in a moment.")));
  window_.write(path,
                [path, ions = ions_.value(), molecule = molecule_, with_molecule](const auto& progress) {
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
