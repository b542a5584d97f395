/// The lab: its commands.
#include <string>

#include "app/labs/electrostatics/description.h"
#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/workbench/contract/command_registry.h"

namespace isolume::labs::electrostatics {

void ElectrostaticsLab::add_commands() {
  using commands::Arguments;
  auto& registry = context_.commands;
  playback_.bind();
  const auto unavailable = [this] { return without_molecule(); };
  registry.bind(
      "electrostatics.show",
      [this](const Arguments& arguments) {
        context_.set_parameters(tr("Show"), {{"shown", arguments.text("what")}});
      },
      unavailable);
  registry.bind("electrostatics.slice.toggle",
                [this](const Arguments&) {
                  context_.set_parameters(tr("Slice plane"), {{"slice", view_.slice ? "false" : "true"}});
                },
                unavailable, {.shortcut = "Ctrl+Shift+X", .checked = [this] { return view_.slice; }});
  registry.bind(
      "electrostatics.field-lines.toggle",
      [this](const Arguments&) {
        context_.set_parameters(tr("Field lines"), {{"field-lines", view_.field_lines ? "false" : "true"}});
      },
      unavailable, {.shortcut = "", .checked = [this] { return view_.field_lines; }});
  registry.bind(
      "electrostatics.field-lines.export",
      [this](const Arguments& arguments) { export_field_lines(arguments.text("path")); }, unavailable);
  const auto no_structure = [this] { return without_structure(); };
  registry.bind(
      "electrostatics.force-field",
      [this](const Arguments& arguments) {
        context_.set_parameters(tr("Force field"), {{"force-field", arguments.text("force-field")}});
      },
      no_structure);
  registry.bind(
      "electrostatics.protonate", [this](const Arguments& arguments) { protonate(arguments.text("state")); },
      no_structure);
  registry.bind(
      "electrostatics.ligands",
      [this](const Arguments& arguments) {
        if (!arguments.has("charges")) return ask_for_ligands();
        set_ligands(arguments.texts("charges"));
      },
      no_structure);
  registry.bind(
      "electrostatics.charge-table",
      [this](const Arguments& arguments) { use_charge_table(arguments.text("path")); }, no_structure);
  registry.bind(
      "electrostatics.charge-table.remove", [this](const Arguments&) { use_charge_table({}); },
      [this] {
        const bool none = without_structure().empty() && structure_.charges.empty();
        return none ? workbench::said(QObject::tr("No charge table is open.")) : without_structure();
      });
  registry.bind(
      "electrostatics.topology", [this](const Arguments& arguments) { use_topology(arguments.text("path")); },
      [this] { return without_gro(); });
  registry.bind(
      "electrostatics.charges.export",
      [this](const Arguments& arguments) { export_charges(arguments.text("path")); },
      [this] { return without_charges(); });
  registry.bind(
      "electrostatics.preparation.export",
      [this](const Arguments& arguments) { export_decisions(arguments.text("path")); },
      [this] { return without_decisions(); });
  registry.bind(
      "electrostatics.patch",
      [this](const Arguments& arguments) {
        context_.set_parameters(tr("Patch"), {{"patch", std::to_string(arguments.integer("number"))}});
      },
      [this] { return without_residues(); });
  registry.bind(
      "electrostatics.patches.export",
      [this](const Arguments& arguments) { export_patches(arguments.text("path")); },
      [this] { return without_residues(); });
  registry.bind(
      "electrostatics.map", [this](const Arguments& arguments) { open_map(arguments.text("path")); },
      unavailable);
  registry.bind(
      "electrostatics.trajectory",
      [this](const Arguments& arguments) { open_trajectory(arguments.text("path")); }, unavailable);
  registry.bind(
      "electrostatics.residue",
      [this](const Arguments& arguments) { select_residue(arguments.text("residue")); },
      [this] { return without_residues(); });
  registry.bind("electrostatics.ions.toggle",
                [this](const Arguments&) {
                  const bool shown = view_.ions != IonsShown::none;
                  context_.set_parameters(tr("Ions"), {{"ions", shown ? "none" : "counter-ions"}});
                },
                unavailable, {.shortcut = "", .checked = [this] { return view_.ions != IonsShown::none; }});
  registry.bind(
      "electrostatics.ions.export",
      [this](const Arguments& arguments) {
        export_ions(arguments.text("path"), arguments.text("what") == "all");
      },
      [this] { return without_ions(); });
  registry.bind(
      "electrostatics.select",
      [this](const Arguments& arguments) {
        const auto expression = arguments.text("expression");
        select(expression == no_residue ? std::string() : expression);
      },
      unavailable);
  registry.bind(
      "electrostatics.selection",
      [this](const Arguments&) {
        const nlohmann::json selected = selection();
        tell_selection();
        return selected;
      },
      unavailable);
  measured_.bind(unavailable);
  registry.bind(
      "electrostatics.selection.zoom", [this](const Arguments&) { zoom_to_selection(); },
      [this] { return selected_ ? std::string() : workbench::said(QObject::tr("Select atoms first.")); });
  registry.bind(
      "electrostatics.colours",
      [this](const Arguments& arguments) {
        const MapView usual;
        const bool is_red = arguments.text("preset") == "red-white-blue";
        context_.set_parameters(tr("Colours"),
                                {{"positive-colour", is_red ? "#1f3fd6" : usual.positive_colour},
                                 {"negative-colour", is_red ? "#d61f1f" : usual.negative_colour}});
      },
      unavailable);
  registry.bind(
      "electrostatics.isolate.toggle",
      [this](const Arguments&) {
        context_.set_parameters(tr("Isolate selection"), {{"isolate", view_.isolate ? "false" : "true"}});
      },
      unavailable, {.shortcut = "", .checked = [this] { return view_.isolate; }});
  registry.bind(
      "electrostatics.residues.export",
      [this](const Arguments& arguments) { export_residues(arguments.text("path")); },
      [this] { return without_residues(); });
  registry.bind(
      "electrostatics.atoms.export",
      [this](const Arguments& arguments) { export_atoms(arguments.text("path")); }, unavailable);
  registry.bind(
      "electrostatics.energy", [this](const Arguments&) { energy(); }, [this] { return without_energy(); });
  registry.bind(
      "electrostatics.comparison", [this](const Arguments&) { difference(); },
      [this] { return without_difference(); });
  window_.bind("electrostatics", unavailable);
}

}  // namespace isolume::labs::electrostatics
