#include <QHelpEvent>
#include <QToolTip>

#include "app/labs/orbitals/lab.h"
#include "app/scene/text_style.h"
#include "app/scene/view_widget.h"
#include "app/workbench/translated.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "core/fields/numbers.h"
#include "core/molecules/geometry.h"

namespace isolume::labs::orbitals {
namespace {

constexpr std::size_t histogram_bins = 200;
constexpr std::size_t profile_points = 400;
constexpr double decades_shown = 1e-6;  ///< of a density between atoms

QString shown(const std::string& unit) {
  return QString::fromStdString(scene::pretty_unit(unit));
}

}  // namespace

/// How often each value occurs, by a job; while the panel is not seen, nothing is counted.
void OrbitalsLab::show_numbers() {
  if (!numbers_ || !numbers_->isVisible() || !picture_) return;
  show_profile();
  if (playback_.playing()) return;
  context_.jobs.submit(
      workbench::said(QObject::tr("Values of the field")), "orbitals.values",
      [this, picture = *picture_](const jobs::Progress& progress) {
        const auto histogram = picture.both_signs
                                   ? fields::histogram(*picture.field, histogram_bins, progress)
                                   : fields::logarithmic_histogram(*picture.field, histogram_bins, progress);
        progress.check();
        context_.on_gui_thread(guarded(this, [this, picture, histogram] {
          if (!numbers_ || !picture_ || picture_->field != picture.field) return;
          std::vector<double> marks{picture_->isovalue};
          if (picture_->both_signs) marks.push_back(-picture_->isovalue);
          numbers_->set_histogram(histogram, shown(picture.field->unit), marks);
        }));
      },
      jobs::Waited::by_nobody);
}

/// Between two measured atoms.
void OrbitalsLab::show_profile() {
  if (!numbers_) return;
  if (!picture_ || measured_.size() != 2) return numbers_->clear_profile();
  const auto place = [&](int atom) {
    return Eigen::Vector3d(molecule().atoms[static_cast<std::size_t>(atom)].position_bohr *
                           units::angstrom_per_bohr);
  };
  const auto found =
      fields::profile(*picture_->field, place(measured_[0]), place(measured_[1]), profile_points);
  const auto name = [&](int atom) { return QString::fromStdString(molecules::atom_label(molecule(), atom)); };
  numbers_->set_profile(found, tr("From %1 to %2").arg(name(measured_[0]), name(measured_[1])), tr("Å"),
                        shown(picture_->field->unit),
                        picture_->both_signs ? 0 : decades_shown * picture_->summary.largest);
}

/// The field's value where the pointer rests on the surface or the slice.
bool OrbitalsLab::show_tip(const QHelpEvent& help) {
  const QPoint at = context_.view.mapFromGlobal(help.globalPos());
  const std::string reading =
      scene_.field().reading_at(static_cast<double>(at.x()) / context_.view.width(),
                                1 - static_cast<double>(at.y()) / context_.view.height());
  if (reading.empty()) return false;
  QToolTip::showText(help.globalPos(), QString::fromStdString(reading), &context_.view);
  return true;
}

nlohmann::json OrbitalsLab::probe(const Eigen::Vector3d& place_angstrom) {
  if (!picture_)
    throw Error(workbench::said(QObject::tr("The field is not there yet: try again in a moment.")));
  std::string text = scene::value_text(*picture_->field, place_angstrom);
  if (picture_->colouring) text += " | " + scene::named_value(*picture_->colouring->field, place_angstrom);
  context_.show_status(QString::fromStdString(text));
  const auto value = fields::value_at(*picture_->field, place_angstrom);
  return {{"value", value ? nlohmann::json(*value) : nlohmann::json()}, {"unit", picture_->field->unit}};
}

void OrbitalsLab::add_number_commands() {
  context_.commands.bind(
      "orbitals.field.probe",
      [this](const Arguments& arguments) {
        return probe({arguments.number("x"), arguments.number("y"), arguments.number("z")});
      },
      [this] { return without_field(); });
}

}  // namespace isolume::labs::orbitals
