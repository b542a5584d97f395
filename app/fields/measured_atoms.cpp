#include "app/fields/measured_atoms.h"

#include <QKeyEvent>
#include <QUndoStack>
#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/contract/value_change.h"
#include "core/base/error.h"
#include "core/molecules/geometry.h"

namespace isolume::fields {
namespace {

constexpr std::size_t most_atoms = 4;  // a dihedral

}  // namespace

MeasuredAtoms::MeasuredAtoms(workbench::LabContext& context, Lab lab)
    : context_(context), lab_(std::move(lab)) {}

void MeasuredAtoms::restore(std::vector<int> atoms) {
  const auto* molecule = lab_.molecule();
  const int count = molecule != nullptr ? static_cast<int>(molecule->atoms.size()) : 0;
  const bool known = std::ranges::all_of(atoms, [count](int atom) { return atom >= 0 && atom < count; });
  if (!known || atoms.size() > most_atoms) atoms.clear();
  atoms_ = std::move(atoms);
  lab_.show();
}

void MeasuredAtoms::click(int atom) {
  auto atoms = atoms_;
  if (std::erase(atoms, atom) == 0) {
    if (atoms.size() == most_atoms) atoms.clear();
    atoms.push_back(atom);
  }
  run(atoms);
}

bool MeasuredAtoms::ends_with(QEvent& event) {
  const bool is_key = event.type() == QEvent::ShortcutOverride || event.type() == QEvent::KeyPress;
  if (!is_key || empty() || static_cast<QKeyEvent&>(event).key() != Qt::Key_Escape) return false;
  event.accept();
  if (event.type() == QEvent::KeyPress) run({});
  return true;
}

void MeasuredAtoms::bind(std::function<std::string()> unavailable) {
  context_.commands.bind(
      lab_.name + ".measure.atoms",
      [this](const commands::Arguments& arguments) {
        std::vector<int> atoms;
        for (const int number : arguments.integers("atom")) atoms.push_back(number - 1);
        measure(std::move(atoms));
        return measured();
      },
      std::move(unavailable));
  context_.commands.bind(
      lab_.name + ".measure.clear", [this](const commands::Arguments&) { measure({}); },
      [this] { return empty() ? workbench::said(QObject::tr("Nothing is measured.")) : std::string(); });
}

void MeasuredAtoms::measure(std::vector<int> atoms) {
  if (!atoms.empty()) molecules::measure(*lab_.molecule(), atoms);  // throws where it cannot be
  if (atoms == atoms_) return lab_.tell();
  context_.undo.push(new workbench::ValueChange<std::vector<int>>(
      atoms.empty() ? QObject::tr("Clear measurement") : QObject::tr("Measure atoms"), atoms_, atoms,
      [this](const std::vector<int>& now) {
        restore(now);
        lab_.tell();
      }));
}

nlohmann::json MeasuredAtoms::measured() const {
  nlohmann::json json{{"text", lab_.text()}};
  if (atoms_.size() < 2) return json;
  const auto found = molecules::measurement(*lab_.molecule(), atoms_);
  json["value"] = found.value;
  json["unit"] = found.is_distance ? "angstrom" : "degree";
  return json;
}

/// As a command, so that it is recorded for scripts.
void MeasuredAtoms::run(const std::vector<int>& atoms) const {
  std::vector<std::string> numbers;
  for (const int each : atoms) numbers.push_back(std::to_string(each + 1));
  try {
    context_.commands.run(lab_.name + (atoms.empty() ? ".measure.clear" : ".measure.atoms"), numbers);
  } catch (const Error& error) {
    context_.show_status(QString::fromUtf8(error.what()));
  }
}

}  // namespace isolume::fields
