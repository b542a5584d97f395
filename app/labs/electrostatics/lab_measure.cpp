/// The lab: distances and angles between atoms.
#include <QObject>
#include <algorithm>
#include <utility>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "core/molecules/geometry.h"

namespace isolume::labs::electrostatics {
namespace {

constexpr std::size_t most_measured = 4;

}  // namespace

void ElectrostaticsLab::measure(std::vector<int> atoms) {
  if (!atoms.empty()) molecules::measure(molecule_->molecule, atoms);  // throws where it cannot be
  measured_ = std::move(atoms);
  window_.restyle();
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
  const auto at = [this](std::size_t i) {
    return molecule_->charges.place(static_cast<std::size_t>(measured_[i]));
  };
  if (measured_.size() < 2) return json;
  json["value"] = measured_.size() == 2   ? (at(1) - at(0)).norm()
                  : measured_.size() == 3 ? molecules::angle_degrees(at(0), at(1), at(2))
                                          : molecules::dihedral_degrees(at(0), at(1), at(2), at(3));
  json["unit"] = measured_.size() == 2 ? "angstrom" : "degree";
  return json;
}

/// Without the names of the atoms, which would hide much of a protein; of a single one its name.
std::string ElectrostaticsLab::measured_text() const {
  if (measured_.empty()) return {};
  if (measured_.size() == 1) return atom_name(*molecule_, static_cast<std::size_t>(measured_.front()));
  const auto whole = molecules::measure(molecule_->molecule, measured_);
  return whole.substr(whole.rfind(": ") + 2);
}

}  // namespace isolume::labs::electrostatics
