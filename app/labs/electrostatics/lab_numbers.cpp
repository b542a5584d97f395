/// The lab: numbers of the whole picture. The energy that a Poisson-Boltzmann equation gives, and how far two maps are apart.
#include <QStringList>
#include <utility>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/labs/electrostatics/panels/table_numbers.h"
#include "app/labs/electrostatics/picture/picture_numbers.h"
#include "app/scene/drawing/text_style.h"
#include "app/workbench/contract/guarded.h"
#include "core/base/error.h"
#include "core/base/shown_number.h"
#include "core/commands/registry.h"
#include "core/jobs/activity.h"

namespace isolume::labs::electrostatics {
namespace {

/// Three digits, as errors have no more.
QString error_text(double value) {
  return QString::fromStdString(shown_reading(value, 3));
}

QString size_text(const science::DifferenceNumbers& numbers, const QString& unit) {
  return QObject::tr("RMS %1 %2, maximum %3 %2")
      .arg(error_text(numbers.rms), unit, error_text(numbers.largest));
}

nlohmann::json json_of(const SolvedEnergy& energy) {
  const auto& error = energy.solvation.error_kj_per_mol;
  auto how = energy.how;
  const parameters::StructParameters set(science::potential_schema(), how);
  return {{"kj_per_mol", energy.solvation.kj_per_mol},
          {"error_kj_per_mol", error ? nlohmann::json(*error) : nlohmann::json()},
          {"method", parameters::to_text(set.get("method"))}};
}

}  // namespace

/// Of the picture that is shown, where it has come and an equation was solved for it.
std::optional<SolvedEnergy> ElectrostaticsLab::solved_energy() const {
  const auto& picture = window_.picture();
  if (!picture || !picture->refined) return std::nullopt;
  if (energy_of_ == picture->field) return energy_;
  return polar_solvation(*molecule_, *picture->field);
}

/// After the picture, which does not wait for them, and in no one's way: the next one cancels what is left to do.
void ElectrostaticsLab::want_numbers() {
  const auto& picture = window_.picture();
  window_.set_note({});
  if (!picture || !picture->refined) return;
  if (is_beside_map(request_)) return want_map_numbers();
  const jobs::Activity::Scope for_nobody(nullptr);  // a command ends with its picture
  if (is_difference(request_)) return want_difference(jobs::Waited::by_nobody);
  if (const auto energy = solved_energy()) {
    window_.set_note(text_of(*energy));
    if (energy_of_ != picture->field) want_energy(*energy, jobs::Waited::by_nobody);
  }
}

QString ElectrostaticsLab::text_of(const SolvedEnergy& energy) {
  const auto& [kj_per_mol, error] = energy.solvation;
  return error ? tr("Polar solvation energy %1 kJ/mol (±: difference to twice the spacing)")
                     .arg(text_with_uncertainty(kj_per_mol, *error))
               : tr("Polar solvation energy %1 kJ/mol").arg(number_text(kj_per_mol, 1));
}

/// With its estimate; a command's result where one waits for it.
void ElectrostaticsLab::want_energy(const SolvedEnergy& known, jobs::Waited waited) {
  context_.jobs.submit(
      workbench::said(tr("Error of the solvation energy")), numbers_channel,
      [this, waited, energy = known, molecule = molecule_, field = window_.picture()->field,
       is_known = energy_of_ == window_.picture()->field](const jobs::Progress& progress) mutable {
        const auto alone = jobs::exclusive(background_, progress);
        if (!is_known)
          energy.solvation.error_kj_per_mol = polar_solvation_error(*molecule, *field, energy, progress);
        progress.check();
        if (waited == jobs::Waited::by_a_person) commands::report(json_of(energy));
        context_.on_gui_thread(guarded(this, [this, waited, energy, field] {
          const auto& picture = window_.picture();
          if (!picture || picture->field != field) return;
          energy_of_ = field;
          energy_ = energy;
          const QString text = text_of(energy);
          if (!is_difference(request_)) window_.set_note(text);
          if (waited == jobs::Waited::by_a_person) context_.show_status(text);
        }));
      },
      waited);
}

void ElectrostaticsLab::want_difference(jobs::Waited waited) {
  context_.jobs.submit(
      workbench::said(tr("Statistics of the difference")), numbers_channel,
      [this, waited, picture = *window_.picture()](const jobs::Progress& progress) {
        const auto difference = picture_difference(picture, progress);
        progress.check();
        if (waited == jobs::Waited::by_a_person) commands::report(to_json(difference));
        context_.on_gui_thread(guarded(this, [this, waited, difference, field = picture.field] {
          if (!window_.picture() || window_.picture()->field != field) return;
          if (is_beside_map(request_)) return;  // its numbers stand there
          const QString unit = QString::fromStdString(scene::pretty_unit(difference.unit));
          QStringList lines{tr("Difference in the map: %1").arg(size_text(difference.map, unit))};
          if (difference.surface)
            lines.prepend(tr("Difference on the surface: %1").arg(size_text(*difference.surface, unit)));
          window_.set_note(lines.join(QLatin1Char('\n')));
          if (waited == jobs::Waited::by_a_person) context_.show_status(lines.join(QStringLiteral(" | ")));
        }));
      },
      waited);
}

std::string ElectrostaticsLab::without_energy() const {
  if (!molecule_) return without_molecule();
  if (is_beside_map(request_))
    return workbench::said(QObject::tr(
        "No energy is available while comparing with an external map. Set Compare with to Nothing."));
  if (!molecule_->wavefunction && !request_.moment.average && science::is_poisson_boltzmann(how_.method))
    return {};
  return workbench::said(
      QObject::tr("Only the Poisson-Boltzmann methods give a solvation energy. Choose one of them."));
}

std::string ElectrostaticsLab::without_difference() const {
  if (!molecule_) return without_molecule();
  if (is_difference(request_)) return {};
  return workbench::said(QObject::tr("No comparison is shown. Choose one with Compare with."));
}

void ElectrostaticsLab::energy() {
  refined_picture();
  const auto known = solved_energy();
  if (!known)
    throw Error(workbench::said(QObject::tr("The picture is still being computed: try again in a moment.")));
  want_energy(*known, jobs::Waited::by_a_person);
}

void ElectrostaticsLab::difference() {
  refined_picture();
  want_difference(jobs::Waited::by_a_person);
}

}  // namespace isolume::labs::electrostatics
