/// The lab: where residues without parameters have their charges from.
#include <QObject>
#include <QWidget>
#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/scene/view/view_widget.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/structures/known_charges.h"

namespace isolume::labs::electrostatics {

/// Those that have no charge, and those that were chosen before.
std::vector<AskedLigand> ElectrostaticsLab::asked_ligands() const {
  std::vector<AskedLigand> asked;
  const auto chosen = structures::ligands_of(structure_.choices.ligands);
  for (const auto& residue : molecule_->residues.all) {
    const auto& name = molecule_->charges.labels[residue.atoms.front()].residue;
    const auto choice = chosen.find(name);
    if (residue.has_parameters && choice == chosen.end()) continue;
    const auto same = std::ranges::find(asked, name, &AskedLigand::name);
    if (same != asked.end()) {
      ++same->residues;
      continue;
    }
    asked.push_back({name, 1, residue.atoms.size(),
                     choice == chosen.end() ? structures::LigandCharges() : choice->second,
                     structures::known_charge(name).value_or(0)});
  }
  return asked;
}

void ElectrostaticsLab::ask_for_ligands() {
  const auto asked = asked_ligands();
  if (asked.empty())
    throw Error(workbench::said(QObject::tr("All residues of this structure already have charges.")));
  electrostatics::ask_for_ligands(
      context_.view.window(), asked,
      [lab = QPointer<ElectrostaticsLab>(this)](const std::vector<std::string>& entries) {
        if (lab) lab->run("electrostatics.ligands", entries);
      });
}

void ElectrostaticsLab::set_ligands(const std::vector<std::string>& entries) {
  auto ligands = structures::ligands_of(structure_.choices.ligands);
  for (const auto& entry : entries) {
    constexpr std::string_view automatic = "=automatic";
    if (entry.ends_with(automatic)) {
      ligands.erase(entry.substr(0, entry.size() - automatic.size()));
      continue;
    }
    for (auto& [name, charges] : structures::ligands_of(entry)) {
      if (!charges.file.empty()) charges.file = std::filesystem::absolute(charges.file);
      ligands[name] = charges;
    }
  }
  context_.set_parameters(tr("Ligand charges"), {{"ligands", structures::text_of_ligands(ligands)}});
}

/// Offered in the banner where a residue has no charges and the user has not chosen to leave it so.
void ElectrostaticsLab::offer_ligands() {
  if (!context_.show_offer || !without_structure().empty()) return;
  const auto chosen = structures::ligands_of(structure_.choices.ligands);
  const auto asked = asked_ligands();
  const bool open = std::ranges::any_of(asked, [&](const auto& each) { return !chosen.contains(each.name); });
  if (open) context_.show_offer(tr("Ligand charges..."), "electrostatics.ligands");
}

}  // namespace isolume::labs::electrostatics
