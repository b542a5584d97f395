/// The lab: how a file was given its charges, what was decided on the way, and both once more with other choices.
#include <QObject>
#include <QUndoStack>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/value_change.h"
#include "core/base/error.h"
#include "core/molecules/residue_names.h"
#include "core/structures/decisions.h"
#include "core/structures/pqr.h"
#include "core/structures/protonation.h"

namespace isolume::labs::electrostatics {
namespace {

constexpr double frames_per_second = 10;

using structures::ChargeFormat;
using workbench::guarded;

ChargeFormat format_of(const ChargedMolecule& molecule) {
  return structures::charge_format_of(molecule.path);
}

TableRows rows_of_decisions(std::shared_ptr<const ChargedMolecule> molecule) {
  enum Column { kind, residues, what, atoms, why };
  TableRows rows;
  rows.columns = {{QObject::tr("What"), QObject::tr("Kind of decision"), -1, {}},
                  {QObject::tr("Residue"), QObject::tr("Name, chain and number"), -1, {}},
                  {QObject::tr("Decision"), QObject::tr("Outcome"), -1, {}},
                  {QObject::tr("Atoms"), QObject::tr("Number of atoms"), 0, QStringLiteral("999")},
                  {QObject::tr("Reason"), QObject::tr("Reason for the decision"), -1, {}}};
  rows.count = static_cast<int>(molecule->decisions.size());
  rows.words = [molecule](int row, int column) {
    const auto& decision = molecule->decisions[static_cast<std::size_t>(row)];
    const std::string text = column == kind       ? structures::title_of(decision.kind)
                             : column == residues ? structures::residues_of(decision)
                             : column == what     ? decision.what
                                                  : decision.why;
    return QString::fromStdString(text).replace(QLatin1String(" angstrom"), QStringLiteral(" Å"));
  };
  rows.number = [molecule](int row, int) {
    const auto count = molecule->decisions[static_cast<std::size_t>(row)].atoms;
    return count > 0 ? static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
  };
  return rows;
}

/// Of all residues that it is about; empty where none of them is in the molecule.
std::string expression_of(const structures::DecisionRow& row, const ChargedMolecule& molecule) {
  std::string expression;
  const auto& all = molecule.residues.all;
  for (const auto& name : row.residues) {
    const auto found = std::ranges::find(all, name, &science::Residues::Residue::name);
    if (found != all.end())
      expression =
          with_picked(expression, picked_expression(molecule, found->atoms.front(), Picked::residue));
  }
  return expression;
}

}  // namespace

void ElectrostaticsLab::narrow_structure(parameters::Description& description) const {
  if (!structure_set_.has(description.key)) return;
  const bool several = preparation() && preparation()->models > 1;
  const bool has_assemblies =
      structure_.choices.assembly > 0 || (preparation() && !preparation()->assemblies.empty());
  const bool shown = without_structure().empty() && (description.key != "model" || several) &&
                     (description.key != "assembly" || has_assemblies);
  if (!shown) description.relevant_when = {"shown", {}};
}

std::string ElectrostaticsLab::without_structure() const {
  if (!molecule_) return without_molecule();
  if (!molecule_->wavefunction && format_of(*molecule_) == ChargeFormat::structure) return "";
  return workbench::said(
      QObject::tr("This file already has charges; only structures (PDB, mmCIF) are assigned them."));
}

std::string ElectrostaticsLab::without_gro() const {
  const bool open = molecule_ && format_of(*molecule_) == ChargeFormat::gro;
  if (open || !refused_gro_.empty()) return "";
  return workbench::said(
      QObject::tr("A topology supplies the charges of a GRO file. Open a GRO file first."));
}

/// What people chose stays, and what cannot be done leaves the molecule and its settings as they are.
void ElectrostaticsLab::prepare_again(const StructureSettings& settings) {
  if (settings == structure_ && settings == made_with_) return;
  structure_ = settings;
  const std::string name = workbench::said(tr("Charges of %1"), molecule_->path.filename().string());
  context_.jobs.submit(
      name, "electrostatics.open",
      [this, settings, path = molecule_->path, trajectory = trajectory()](const jobs::Progress& progress) {
        try {
          auto opened = open_molecule(path, options_of(settings), trajectory, progress);
          progress.check();
          context_.on_gui_thread(guarded(this, [this, settings, opened] {
            if (molecule_ && molecule_->path == opened.molecule->path && structure_ == settings)
              take_prepared(opened);
          }));
        } catch (...) {
          context_.on_gui_thread(guarded(this, [this, settings] {
            if (structure_ != settings) return;
            structure_ = made_with_;
            if (context_.parameters_changed) context_.parameters_changed();
            refuse(settings.choices);
            workbench::take_back(context_.undo, settings);
          }));
          throw;
        }
      });
}

/// Choices with which the structure could not be prepared.
void ElectrostaticsLab::refuse(structures::StructureChoices choices) {
  if (!context_.refused) return;
  const parameters::StructParameters refused(structures::structure_schema(), choices);
  for (const auto& each : refused.descriptions()) {
    const auto value = refused.get(each.key);
    if (value != structure_set_.get(each.key)) context_.refused(each.key, parameters::to_text(value));
  }
}

// Frames.

fields::FieldPlayback::Declaration ElectrostaticsLab::playing() {
  return {.prefix = "electrostatics.frames",
          .show =
              [this](double frame, fields::Detail detail) {
                request_.moment.frame = static_cast<int>(std::lround(frame));
                request_picture(detail);
              },
          .unavailable = [this] { return without_frames(); },
          .counts = true,
          .longest_frame_seconds = 1 / frames_per_second,
          .budget_ms = 60};
}

std::string ElectrostaticsLab::without_frames() const {
  return request_.frames && request_.frames->size() > 1
             ? std::string()
             : workbench::said(tr("There is only one frame. Open a file with several models, or a trajectory "
                                  "(electrostatics.trajectory)."));
}

void ElectrostaticsLab::follow_frames() {
  playback_.follow();
  if (!without_frames().empty()) return;
  const auto last = static_cast<double>(request_.frames->size());
  playback_.time().set_range(1, last, tr("frames"), (last - 1) / frames_per_second);
  playback_.time().set_frame_time(1);
  playback_.show_time(request_.moment.frame);
}

void ElectrostaticsLab::take_prepared(OpenedMolecule opened) {
  playback_.pause();
  made_with_ = structure_;
  notes_.clear();
  request_.molecule = std::move(opened.molecule);
  request_.frames = std::move(opened.frames);
  const int count = request_.frames ? static_cast<int>(request_.frames->size()) : 1;
  request_.moment.frame = std::min(request_.moment.frame, count);
  request_.moment.average = request_.moment.average && request_.frames;
  follow_frames();
  forget_values();
  static_cast<Display&>(window_.display()).take_molecule();
  window_.restyle();
  if (context_.parameters_changed) context_.parameters_changed();
  if (context_.availability_changed) context_.availability_changed();
  tell_molecule();
  request_picture();
  graph_.update();
}

/// Of another molecule, or another grid of residues and atoms.
void ElectrostaticsLab::forget_values() {
  graph_.forget();
  if (selected_ && selected_->atoms.size() != molecule_->charges.size()) selected_ = nullptr;
  patch_border_ = nullptr;
  measured_.forget();
  if (table_) {
    table_->set_values(nullptr, {});
    table_->set_chosen(-1);
  }
  if (patch_table_) patch_table_->set_rows({}, {});
  show_decisions();
}

/// With what stands beside the structure's file.
QString ElectrostaticsLab::charges_from() const {
  if (molecule_->wavefunction) return tr("The charges of a wavefunction are computed from its electrons.");
  const auto name = [](const std::filesystem::path& path) {
    return QString::fromStdString(path.filename().string());
  };
  if (format_of(*molecule_) == ChargeFormat::gro) {
    const auto topology =
        made_with_.topology.empty() ? structures::topology_beside(molecule_->path) : made_with_.topology;
    return tr("Charges of the topology %1").arg(name(topology));
  }
  if (!preparation()) {
    return format_of(*molecule_) == ChargeFormat::structure
               ? tr("For a trajectory, the preparation of the first frame is used and not listed.")
               : tr("This file already has charges.");
  }
  const auto force_field = preparation()->force_field;
  const QString of_force_field = QString::fromStdString(std::string(structures::name_of(force_field)));
  if (made_with_.charges.empty()) return tr("Charges and radii of %1").arg(of_force_field);
  return tr("Charges and radii of %1; those of %2 take precedence")
      .arg(of_force_field, name(made_with_.charges));
}

/// Of several models, each of which is a molecule, the first one's.
const std::optional<structures::Preparation>& ElectrostaticsLab::preparation() const {
  return (request_.frames ? request_.frames->first() : molecule_)->preparation;
}

void ElectrostaticsLab::show_decisions() {
  if (!molecule_) return;
  decided_ = request_.frames ? request_.frames->first() : molecule_;
  if (decision_table_) decision_table_->set_rows(rows_of_decisions(decided_), charges_from());
}

void ElectrostaticsLab::choose_decision(int row) {
  if (!decided_ || row < 0 || static_cast<std::size_t>(row) >= decided_->decisions.size()) return;
  const auto expression = expression_of(decided_->decisions[static_cast<std::size_t>(row)], *decided_);
  run("electrostatics.select", {expression.empty() ? std::string(no_residue) : expression});
}

std::string ElectrostaticsLab::without_decisions() const {
  if (!molecule_ || !decided_) return without_molecule();
  if (!decided_->decisions.empty()) return "";
  return workbench::said(QObject::tr("There is no preparation report: this file already has charges."));
}

void ElectrostaticsLab::export_decisions(const std::filesystem::path& path) {
  window_.write(path, [path, molecule = decided_](const auto&) {
    structures::write_decisions(molecule->decisions, path);
  });
}

std::string ElectrostaticsLab::without_charges() const {
  if (!molecule_) return without_molecule();
  if (molecule_->wavefunction)
    return workbench::said(
        QObject::tr("A wavefunction has no charges of its own. Fit some to its potential "
                    "with: isolume-batch electrostatics charges."));
  if (request_.moment.average)
    return workbench::said(QObject::tr("The average over all frames has no atoms. Choose one frame first."));
  return "";
}

void ElectrostaticsLab::export_charges(const std::filesystem::path& path) {
  window_.write(path, [path, molecule = molecule_, frames = request_.frames,
                       frame = request_.moment.frame](const jobs::Progress& progress) {
    std::vector<std::string> remarks;
    if (frames)
      remarks.push_back(
          workbench::said(QObject::tr("Frame %1 of %2"), frame, molecule->path.filename().string()));
    for (const auto& row : (frames ? frames->first() : molecule)->decisions)
      remarks.push_back(structures::line_of(row));
    const auto shown = frames ? frames->at(frame, progress.part(0, 0.5)) : molecule;
    structures::write_pqr(shown->charges, remarks, path, progress.part(0.5, 1));
  });
}

void ElectrostaticsLab::use_files(const QString& what, const StructureSettings& settings) {
  if (settings == structure_) return;
  context_.undo.push(new workbench::ValueChange<StructureSettings>(
      what, structure_, settings, [this](const StructureSettings& files) {
        auto now = structure_;  // other choices are undone by themselves
        now.charges = files.charges;
        now.topology = files.topology;
        prepare_again(now);
      }));
}

void ElectrostaticsLab::use_charge_table(const std::filesystem::path& path) {
  auto settings = structure_;
  settings.charges = path;
  use_files(path.empty() ? tr("Remove charge table") : tr("Charge table"), settings);
}

/// Of all selected residues that can have it.
void ElectrostaticsLab::protonate(const std::string& state) {
  if (!selected_ || selected_->residue_count == 0)
    throw Error(
        workbench::said(QObject::tr("Select a residue first: click it, or use electrostatics.select.")));
  auto states = structures::states_by_residue(structure_.choices.states);
  bool any = false;
  for (std::size_t i = 0; i < molecule_->residues.all.size(); ++i) {
    if (!selected_->residues[i]) continue;
    const auto& labels = molecule_->charges.labels;
    std::vector<std::string> atoms;
    for (const auto atom : molecule_->residues.all[i].atoms) atoms.push_back(labels[atom].atom);
    const auto& label = labels[molecule_->residues.all[i].atoms.front()];
    const auto possible = structures::states_of(molecules::known_residue(label.residue, atoms).name);
    const bool is_possible = std::ranges::find(possible, state) != possible.end();
    if (state == "automatic" ? possible.empty() : !is_possible) continue;
    any = true;
    const auto name = structures::name_of_residue(label);
    if (state == "automatic") {
      states.erase(name);
    } else {
      states[name] = state;
    }
  }
  if (!any) throw Error(workbench::said(QObject::tr("None of the selected residues can be %1."), state));
  context_.set_parameters(tr("Protonation state"), {{"states", structures::text_of_states(states)}});
}

/// Of the GRO file that is open, or that could not be opened without one.
void ElectrostaticsLab::use_topology(const std::filesystem::path& path) {
  auto settings = structure_;
  settings.topology = path;
  if (molecule_ && format_of(*molecule_) == ChargeFormat::gro && refused_gro_.empty())
    return use_files(tr("Topology"), settings);
  open(refused_gro_, {}, [settings](auto&) { return settings; });
}

}  // namespace isolume::labs::electrostatics
