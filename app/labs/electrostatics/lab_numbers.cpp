/// The lab: numbers of the whole picture. The energy that a Poisson-Boltzmann equation gives, and how far two maps are apart.
#include <QStringList>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/labs/electrostatics/panels/table_numbers.h"
#include "app/labs/electrostatics/picture/picture_numbers.h"
#include "app/scene/drawing/text_style.h"
#include "core/base/error.h"
#include "core/base/shown_number.h"
#include "core/commands/registry.h"

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

QStringList lines_of(const PictureDifference& difference) {
  const QString unit = QString::fromStdString(scene::pretty_unit(difference.unit));
  QStringList lines{QObject::tr("Difference in the map: %1").arg(size_text(difference.map, unit))};
  if (difference.surface)
    lines.prepend(QObject::tr("Difference on the surface: %1").arg(size_text(*difference.surface, unit)));
  return lines;
}

Error still_computed() {
  return Error(workbench::said(QObject::tr("The picture is still being computed: try again in a moment.")));
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
  const bool estimated = energy_.value() && energy_.asked() && energy_.asked()->field == picture->field;
  if (estimated && energy_.settled()) return *energy_.value();
  return polar_solvation(*molecule_, *picture->field);
}

/// Numbers of a picture are of no use when the next one is computed.
void ElectrostaticsLab::cancel_numbers() {
  energy_.cancel();
  difference_.cancel();
  map_comparison_.cancel();
}

void ElectrostaticsLab::show_energy() {
  const bool compared = is_beside_map(request_) || is_difference(request_);
  const auto energy = compared ? std::nullopt : solved_energy();
  window_.set_note(energy ? text_of(*energy) : QString());
}

QString ElectrostaticsLab::text_of(const SolvedEnergy& energy) {
  const auto& [kj_per_mol, error] = energy.solvation;
  return error ? tr("Polar solvation energy %1 kJ/mol (±: difference to twice the spacing)")
                     .arg(text_with_uncertainty(kj_per_mol, *error))
               : tr("Polar solvation energy %1 kJ/mol").arg(number_text(kj_per_mol, 1));
}

/// After the picture, and in no one's way.
EnergyNode::Declaration ElectrostaticsLab::energy_node() {
  return {.name = workbench::said(tr("Error of the solvation energy")),
          .channel = "electrostatics.energy",
          .inputs = [this]() -> std::optional<EnergyInputs> {
            if (!is_refined() || window_.awaiting() || is_beside_map(request_) || is_difference(request_))
              return std::nullopt;
            const auto& field = window_.picture()->field;
            const auto known = polar_solvation(*molecule_, *field);
            return known ? std::optional(EnergyInputs{molecule_, field, *known}) : std::nullopt;
          },
          .compute =
              [](const EnergyInputs& of, const jobs::Progress& progress) {
                auto energy = std::make_shared<SolvedEnergy>(of.known);
                energy->solvation.error_kj_per_mol =
                    polar_solvation_error(*of.molecule, *of.field, of.known, progress);
                return energy;
              },
          .taken = [this](const auto&) { show_energy(); },
          .waited = jobs::Waited::by_nobody,
          .alone = &background_};
}

DifferenceNode::Declaration ElectrostaticsLab::difference_node() {
  return {.name = workbench::said(tr("Statistics of the difference")),
          .channel = "electrostatics.difference",
          .inputs = [this]() -> std::optional<PictureInputs> {
            return is_difference(request_) ? inputs_of_picture() : std::nullopt;
          },
          .compute =
              [](const PictureInputs& of, const jobs::Progress& progress) {
                return std::make_shared<const PictureDifference>(picture_difference(of.picture, progress));
              },
          .taken =
              [this](const auto& difference) {
                if (!difference || is_beside_map(request_)) return;  // the comparison's numbers are shown
                window_.set_note(lines_of(*difference).join(QLatin1Char('\n')));
              },
          .waited = jobs::Waited::by_nobody};
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
  energy_.when_settled([this](const auto& energy) {
    if (!energy) throw still_computed();
    commands::report(json_of(*energy));
    context_.show_status(text_of(*energy));
  });
}

void ElectrostaticsLab::difference() {
  refined_picture();
  difference_.when_settled([this](const auto& difference) {
    if (!difference) throw still_computed();
    commands::report(to_json(*difference));
    context_.show_status(lines_of(*difference).join(QStringLiteral(" | ")));
  });
}

}  // namespace isolume::labs::electrostatics
