/// The lab: distances and angles between atoms.
#include <QObject>
#include <QUndoStack>
#include <algorithm>
#include <utility>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/workbench/value_change.h"
#include "core/molecules/geometry.h"

namespace isolume::labs::electrostatics {
namespace {

constexpr std::size_t most_measured = 4;

}  // namespace

/// As a step of undo.
void ElectrostaticsLab::measure(std::vector<int> atoms) {
  if (!atoms.empty()) molecules::measure(molecule_->molecule, atoms);  // throws where it cannot be
  if (atoms == measured_) return tell_measured();
  context_.undo.push(new workbench::ValueChange<std::vector<int>>(
      atoms.empty() ? tr("Clear measurement") : tr("Measure atoms"), measured_, atoms,
      [this](const std::vector<int>& now) {
        set_measured(now);
        tell_measured();
      }));
}

/// Other preparations of a structure have other atoms: those that are not there are not marked.
void ElectrostaticsLab::set_measured(std::vector<int> atoms) {
  const auto count = molecule_ ? static_cast<int>(molecule_->molecule.atoms.size()) : 0;
  const bool there = std::ranges::all_of(atoms, [count](int atom) { return atom >= 0 && atom < count; });
  if (!there || atoms.size() > most_measured) atoms.clear();
  measured_ = std::move(atoms);
  window_.restyle();
}

void ElectrostaticsLab::tell_measured() {
  if (measured_.empty()) return context_.show_status(tr("Nothing is measured"));
  std::string text;
  for (const int atom : measured_)
    text += (text.empty() ? "" : " – ") + atom_name(*molecule_, static_cast<std::size_t>(atom));
  if (measured_.size() > 1) text += ": " + measured_text();
  context_.show_status(QString::fromStdString(text));
}

/// One more atom up to four; a fifth begins anew, and one that is clicked again is let go.
void ElectrostaticsLab::measure_also(int atom) {
  auto atoms = measured_;
  if (std::ranges::find(atoms, atom) != atoms.end()) {
    std::erase(atoms, atom);
  } else {
    if (atoms.size() == most_measured) atoms.clear();
    atoms.push_back(atom);
  }
  std::vector<std::string> numbers;
  for (const int each : atoms) numbers.push_back(std::to_string(each + 1));
  run(numbers.empty() ? "electrostatics.measure.clear" : "electrostatics.measure.atoms", numbers);
}

/// For scripts.
nlohmann::json ElectrostaticsLab::measured() const {
  nlohmann::json json{{"text", measured_text()}};
  if (measured_.size() < 2) return json;
  const auto found = molecules::measurement(molecule_->molecule, measured_);
  json["value"] = found.value;
  json["unit"] = found.is_distance ? "angstrom" : "degree";
  return json;
}

/// Without the names of the atoms, which would hide much of a protein; of a single one its name.
std::string ElectrostaticsLab::measured_text() const {
  if (measured_.empty()) return {};
  if (measured_.size() == 1) return atom_name(*molecule_, static_cast<std::size_t>(measured_.front()));
  return molecules::measurement(molecule_->molecule, measured_).text();
}

}  // namespace isolume::labs::electrostatics
