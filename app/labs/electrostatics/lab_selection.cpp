/// The lab: what is selected, and the pointer. The selection is a parameter: sessions keep it, and it can be undone.
#include <QGuiApplication>
#include <QObject>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>
#include <vtkRenderer.h>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/labs/electrostatics/panels/table_numbers.h"
#include "app/labs/electrostatics/picture/residue_outline.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "core/base/error.h"
#include "core/structures/selection.h"

namespace isolume::labs::electrostatics {

using workbench::guarded;

/// Of the molecule as it is now: millions of atoms take longer than a frame. What was selected before stays until then,
/// where it fits.
SelectionNode::Declaration ElectrostaticsLab::selection_node() {
  return {.name = workbench::said(tr("Selection")),
          .channel = "electrostatics.select",
          .inputs = [this]() -> std::optional<SelectionInputs> {
            return SelectionInputs{molecule_, view_.selection};
          },
          .compute = [](const SelectionInputs& of,
                        const auto& progress) { return select_atoms(*of.molecule, of.expression, progress); },
          .taken = [this](const auto& selected) { take_selection(selected); }};
}

void ElectrostaticsLab::take_selection(std::shared_ptr<const SelectedAtoms> selected) {
  selected_ = std::move(selected);
  clicked_ = std::exchange(clicking_, QString());
  if (table_) {
    table_->set_selected(selected_ ? selected_->residues : std::vector<bool>());
    // The row that a person is at stays, if it is one of them.
    const int row = table_->chosen();
    const bool any = selected_ != nullptr;
    if (!any) {
      table_->set_chosen(-1);
    } else if (row < 0 || !selected_->residues[static_cast<std::size_t>(row)]) {
      table_->set_chosen(static_cast<int>(selected_->first_residue));
    }
  }
  follow_line();
  if (context_.availability_changed) context_.availability_changed();
  if (std::exchange(selection_is_told_, false)) tell_selection();
  window_.restyle();
}

/// The field is charted between two selected atoms.
void ElectrostaticsLab::follow_line() {
  std::vector<fields::NamedPlace> atoms;
  if (selected_ && selected_->atom_count == 2) {
    auto at = selected_->atoms.begin();
    while ((at = std::find(at, selected_->atoms.end(), true)) != selected_->atoms.end()) {
      const auto atom = static_cast<std::size_t>(at - selected_->atoms.begin());
      atoms.push_back({molecule_->charges.place(atom), QString::fromStdString(atom_name(*molecule_, atom))});
      ++at;
    }
  }
  window_.follow_atoms(atoms);
}

void ElectrostaticsLab::tell_selection() {
  const QString before = clicked_.isEmpty() ? QString() : clicked_ + " | ";
  if (!selected_) {
    context_.show_status(view_.selection.empty()
                             ? tr("Nothing is selected")
                             : QString::fromStdString(structures::no_atom_matches(view_.selection)));
    return;
  }
  const auto& residues = molecule_->residues.all;
  const QString charge = number_text(selected_->charge, 2);
  const int atoms = static_cast<int>(selected_->atom_count);
  if (molecule_->wavefunction) {
    context_.show_status(before + tr("%n atom(s) selected, Mulliken charge %1 e", "", atoms).arg(charge));
  } else if (selected_->residue_count > 1) {
    context_.show_status(before + tr("%n atom(s) of %1 residues selected, charge %2 e", "", atoms)
                                      .arg(selected_->residue_count)
                                      .arg(charge));
  } else {
    const auto& residue = residues[selected_->first_residue];
    const QString name = QString::fromStdString(residue.name);
    context_.show_status(before +
                         (residue.has_parameters
                              ? tr("%n atom(s) of %1 selected, charge %2 e", "", atoms).arg(name, charge)
                              : tr("%n atom(s) of %1 selected: no charge assigned", "", atoms).arg(name)));
  }
}

/// Of a large surface that takes longer than a frame. Where it is isolated, the surface is cut to it.
SelectionOutlineNode::Declaration ElectrostaticsLab::selection_outline_node() {
  return {.name = workbench::said(tr("Outline of the selection")),
          .channel = "electrostatics.selection",
          .inputs = [this]() -> std::optional<OutlineInputs> {
            const auto& picture = window_.picture();
            if (!outlines() || !picture) return std::nullopt;
            OutlineInputs inputs{pictures_, selected_, view_.isolate};
            if (selection_outline_.asked() == inputs) return inputs;
            inputs.molecule = molecule_;
            inputs.lobes = picture->lobes;
            for (auto* surface : {&inputs.lobes.positive, &inputs.lobes.negative}) {
              surface->mesh = scene::mesh_of(*surface);  // one that a GPU has is fetched on this thread alone
              surface->on_gpu.reset();
            }
            return inputs;
          },
          .compute =
              [](const OutlineInputs& of, const auto&) {
                auto outline = std::make_shared<SelectionOutline>(SelectionOutline{of.picture, of.selected});
                if (of.isolates) {
                  outline->cut = std::make_shared<const scene::Lobes>(
                      surface_of_atoms(of.lobes, *of.molecule, of.selected->atoms));
                } else {
                  outline->lines = std::make_shared<const scene::LineSet>(
                      atoms_outline(of.lobes, *of.molecule, of.selected->atoms));
                }
                return outline;
              },
          .taken = [this](const auto&) { window_.restyle(); }};
}

/// While the next one is computed, that of the picture before.
std::shared_ptr<const scene::LineSet> ElectrostaticsLab::outline_lines() const {
  const auto& outline = selection_outline_.value();
  return outline && outlines() && outline->selected == selected_ ? outline->lines : nullptr;
}

/// Never that of the picture before.
std::shared_ptr<const scene::Lobes> ElectrostaticsLab::cut_surface() const {
  const auto& outline = selection_outline_.value();
  const bool is_of_this = outline && outline->picture == pictures_ && outline->selected == selected_;
  return is_of_this && outlines() && view_.isolate ? outline->cut : nullptr;
}

void ElectrostaticsLab::select(const std::string& expression) {
  selection_is_told_ = true;
  if (expression == view_.selection && selection_.settled()) return take_selection(selection_.value());
  context_.set_parameters(tr("Selection"), {{"selection", expression}});
}

void ElectrostaticsLab::select_residue(const std::string& name) {
  if (name == no_residue) return select({});
  const auto& residue = molecule_->residues.all[find_residue(*molecule_, name)];
  select(picked_expression(*molecule_, residue.atoms.front(), Picked::residue));
}

void ElectrostaticsLab::zoom_to_selection() {
  Eigen::AlignedBox3d box;
  for (std::size_t atom = 0; atom < selected_->atoms.size(); ++atom) {
    if (!selected_->atoms[atom]) continue;
    const Eigen::Vector3d reach = Eigen::Vector3d::Constant(std::max(1.5, molecule_->charges.radius[atom]));
    box.extend(molecule_->charges.place(atom) - reach);
    box.extend(molecule_->charges.place(atom) + reach);
  }
  const std::array bounds{box.min().x(), box.max().x(), box.min().y(),
                          box.max().y(), box.min().z(), box.max().z()};
  auto& renderer = *context_.view.renderer();
  window_.leave_camera();  // before it moves, which counts as done by hand
  renderer.ResetCamera(bounds.data());
  renderer.ResetCameraClippingRange();
  context_.view.request_render();
}

nlohmann::json ElectrostaticsLab::selection() const {
  if (!selection_.settled())
    throw Error(
        workbench::said(QObject::tr("The selection is still being computed: try again in a moment.")));
  if (!selected_) return {{"selection", view_.selection}, {"atoms", 0}, {"residues", 0}, {"charge", 0.0}};
  return {{"selection", view_.selection},
          {"atoms", selected_->atom_count},
          {"residues", selected_->residue_count},
          {"charge", selected_->charge}};
}

/// The atom with the potential there, or what the potential alone has to tell; and how strong the field is. At the
/// boundary of two permittivities it leaps, and has no value.
std::string ElectrostaticsLab::reading_at(MapScene& scene, double x, double y) const {
  const auto& picture = window_.picture();
  const auto seen = molecule_ ? scene.atom_at(x, y) : std::nullopt;
  const auto* potential = picture ? picture->field.get() : nullptr;
  const auto text = seen ? reading_of(*molecule_, *seen, picture ? &*picture : nullptr, view_.sample_height)
                         : scene.field().reading_at(x, y);
  const auto [surface, slice] = scene.field().seen_at(x, y);
  const bool on_molecule = seen || (surface && view_.shown == Shown::surface);
  const bool leaps = science::is_poisson_boltzmann(how_.method) && !molecule_->wavefunction;
  std::optional<Eigen::Vector3d> place;
  if (on_molecule && !leaps && view_.sample_height == 0 && (!seen || seen->on_surface)) place = surface;
  if (!on_molecule) place = surface ? surface : slice;
  if (text.empty() || !place || potential == nullptr || !picture->refined) return text;
  const bool is_difference =
      where_.compare != science::Compared::nothing || request_.quantum.difference_to != DifferenceTo::nothing;
  if (is_difference) return text;
  const auto strength = field_text(*potential, *place);
  return strength.empty() ? text : text + '\n' + strength;
}

/// A click ends as a command, as if it had been written.
void ElectrostaticsLab::click(double x, double y) {
  if (!molecule_) return;
  const auto seen = static_cast<const Display&>(window_.display()).atom_at(x, y);
  if (seen) {
    if (pick_.what == Picked::measured) return measured_.click(static_cast<int>(seen->atom));
    const auto& picture = window_.picture();
    clicking_ = QString::fromStdString(
                    reading_of(*molecule_, *seen, picture ? &*picture : nullptr, view_.sample_height))
                    .replace('\n', " | ");
    return pick(seen->atom, pick_.what);
  }
  const bool adds = QGuiApplication::keyboardModifiers() & (Qt::ShiftModifier | Qt::ControlModifier);
  if (!adds && !view_.selection.empty()) run("electrostatics.select", {no_residue});
}

/// In a row of the table or in the view. With Shift or Ctrl it comes to what is selected, or leaves it.
void ElectrostaticsLab::pick(std::size_t atom, Picked what) {
  auto expression = picked_expression(*molecule_, atom, what);
  if (QGuiApplication::keyboardModifiers() & (Qt::ShiftModifier | Qt::ControlModifier)) {
    const bool is_selected =
        has_alternative(view_.selection, expression) || (selected_ && selected_->atoms[atom]);
    expression =
        is_selected ? without_picked(view_.selection, expression) : with_picked(view_.selection, expression);
  }
  run("electrostatics.select", {expression.empty() ? std::string(no_residue) : expression});
}

void ElectrostaticsLab::run(const std::string& command, const std::vector<std::string>& arguments) {
  try {
    context_.commands.run(command, arguments);
  } catch (const Error& error) {
    context_.show_status(QString::fromUtf8(error.what()));
  }
}

}  // namespace isolume::labs::electrostatics
