/// The lab: another program's map beside the molecule's, and the table of the surface's vertices.
#include <QObject>
#include <QStringList>
#include <QUndoStack>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/labs/electrostatics/picture/surface_table.h"
#include "app/scene/drawing/text_style.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/value_change.h"
#include "core/base/error.h"
#include "core/base/shown_number.h"

namespace isolume::labs::electrostatics {

using workbench::guarded;

/// The molecule that is open stays, and so does its picture where the map cannot be read.
void ElectrostaticsLab::open_map(const std::filesystem::path& path) {
  const std::string file = path.filename().string();
  if (!molecule_) {
    throw Error(workbench::said(QObject::tr("%1 is a potential map. Open the molecule first (PQR, PDB, mmCIF "
                                            "...); the map is then compared with the molecule's."),
                                file));
  }
  if (request_.moment.average)
    throw Error(
        workbench::said(QObject::tr("Averages cannot be compared. Turn off Mean over all frames first.")));
  context_.jobs.submit(
      workbench::said(tr("Open %1"), file), "electrostatics.map",
      [this, path = std::filesystem::absolute(path), of = molecule_->path](const jobs::Progress& progress) {
        auto map = read_other_map(path, progress);
        progress.check();
        context_.on_gui_thread(guarded(this, [this, map, of] {
          if (molecule_ && molecule_->path == of) show_map(map);
        }));
      });
}

/// As one step: the map, and that it is compared with.
void ElectrostaticsLab::show_map(std::shared_ptr<const OtherMap> map) {
  const QString what = tr("Map %1").arg(QString::fromStdString(map->path.filename().string()));
  context_.undo.beginMacro(what);
  context_.undo.push(new workbench::ValueChange<std::shared_ptr<const OtherMap>>(
      what, request_.other, std::move(map), [this](const auto& each) { set_map(each); }));
  context_.set_parameters(what, {{molecule_->wavefunction ? "difference-to" : "compare", "map"}});
  context_.undo.endMacro();
}

void ElectrostaticsLab::set_map(std::shared_ptr<const OtherMap> map) {
  const bool was_shown = is_beside_map(request_);
  request_.other = std::move(map);
  if (context_.parameters_changed) context_.parameters_changed();
  if (was_shown) request_picture();
}

/// Of a session: its map is read before its file, so that what it says of the map can be set. Without it the rest is there.
void ElectrostaticsLab::after_map(const nlohmann::json& state, const std::filesystem::path& file,
                                  std::function<void()> open_file) {
  const auto path = found_beside(state.value("map", std::string()), file);
  if (path.empty()) return open_file();
  context_.jobs.submit(workbench::said(tr("Open %1"), path.filename().string()), "electrostatics.open",
                       [this, path, file, open_file](const jobs::Progress& progress) {
                         RestoredMap restored{.file = file, .map = nullptr, .problem = {}};
                         try {
                           restored.map = read_other_map(path, progress);
                         } catch (const Error& error) {
                           restored.problem = QString::fromUtf8(error.what());
                         }
                         progress.check();
                         context_.on_gui_thread(guarded(this, [this, restored, open_file] {
                           restored_map_ = restored;
                           open_file();
                         }));
                       });
}

/// When the molecule is there.
void ElectrostaticsLab::take_restored_map() {
  auto restored = std::exchange(restored_map_, {});
  if (restored.file != molecule_->path) restored = {};
  request_.other = std::move(restored.map);
  map_problem_ = restored.problem;
}

/// "Difference to apbs.dx: root mean square 0.12 kT/e, on the surface 0.03 kT/e | largest −3.1 kT/e at (1, 2, 3) Å | ..."
QString ElectrostaticsLab::told(const science::MapComparison& found,
                                const std::optional<SurfaceReading>& surface,
                                const scene::FieldPicture& picture) const {
  const std::string unit = scene::pretty_unit(picture.field->unit);
  const auto number = [](double value, int digits = 4) {
    return QString::fromStdString(shown_reading(value, digits));
  };
  const auto value = [&](double of) { return number(of, 3) + ' ' + QString::fromStdString(unit); };
  const auto coordinate = [&](double of) { return number(std::round(100 * of) / 100); };
  QStringList parts;
  const QString name = QString::fromStdString(picture.field->name);
  if (found.compared == 0) return tr("%1: the two maps do not overlap").arg(name);
  parts +=
      surface
          ? tr("%1: root mean square %2, on the surface %3").arg(name, value(found.rms), value(surface->rms))
          : tr("%1: root mean square %2").arg(name, value(found.rms));
  parts += tr("largest %1 at (%2, %3, %4) Å")
               .arg(value(found.largest), coordinate(found.place.x()), coordinate(found.place.y()),
                    coordinate(found.place.z()));
  if (std::isfinite(found.correlation)) parts += tr("correlation %1").arg(number(found.correlation, 5));
  if (found.compared < found.points) {
    parts +=
        tr("%1 % of the points compared")
            .arg(number(100 * static_cast<double>(found.compared) / static_cast<double>(found.points), 3));
  }
  if (request_.other && request_.other->map.unit_is_assumed &&
      request_.other_choices.unit == MapUnit::stated) {
    const auto assumed = science::to_text(request_.other->map.unit);
    parts += tr("assumed unit of the map %1")
                 .arg(QString::fromUtf8(assumed.data(), static_cast<int>(assumed.size())));
  }
  if (request_.other) {
    for (const auto& remark : request_.other->map.remarks) parts += QString::fromStdString(remark.text);
  }
  return parts.join(QStringLiteral(" | "));
}

/// In the status bar, and above the charts of the Values panel.
MapComparisonNode::Declaration ElectrostaticsLab::map_comparison_node() {
  return {
      .name = workbench::said(tr("Comparison of maps")),
      .channel = "electrostatics.comparison",
      .inputs = [this]() -> std::optional<PictureInputs> {
        const bool compared = is_beside_map(request_) && request_.other_choices.shown != MapShown::itself;
        return compared ? inputs_of_picture() : std::nullopt;
      },
      .compute =
          [](const PictureInputs& of, const jobs::Progress& progress) {
            return std::make_shared<const science::MapComparison>(compared_with(
                *of.request.other, of.request.other_choices, of.request.how, *of.picture.field, progress));
          },
      .taken =
          [this](const auto& found) {
            const auto& picture = window_.picture();
            if (!found || !picture) return;
            const QString text = told(*found, read_surface(*picture), *picture);
            window_.set_note(text);
            context_.show_status(text + " | " + QString::fromStdString(scene::readings(*picture, view_)));
          }};
}

void ElectrostaticsLab::export_surface_table(const std::filesystem::path& path) {
  window_.write(path, [path, picture = refined_picture(), molecule = molecule_,
                       height = view_.sample_height](const jobs::Progress& progress) {
    write_surface_table(picture, *molecule, height, path, progress);
  });
}

}  // namespace isolume::labs::electrostatics
