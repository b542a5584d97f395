#include "app/labs/livewire/export_contours.h"

#include <QObject>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/labs/livewire/label_surface.h"
#include "app/labs/livewire/workspace.h"
#include "app/workbench/translated.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/contours/label_map.h"
#include "core/dicom/rtstruct.h"
#include "core/dicom/segmentation.h"
#include "core/dicom/slice_positions.h"

namespace isolume::labs::livewire {
namespace {

struct Work {
  std::shared_ptr<const images::Document> image;
  contours::ContourSet set;
  images::SliceId slice;

  contours::ContourDocument document() const { return {set, reference_of(*image)}; }
};
using Write = std::function<void(const Work&, const std::filesystem::path&, const jobs::Progress&)>;

struct Format {
  std::string suffix;
  Write write;
};

void write_label_map(const Work& work, const std::filesystem::path& path, const jobs::Progress& progress) {
  dicom::require_regular_grid(*work.image, path);
  images::write_volume(contours::label_map(work.set, work.image->volume.geometry, progress.part(0, 0.7)),
                       path);
}

void write_surfaces(const Work& work, const std::filesystem::path& path, const jobs::Progress& progress) {
  export_surfaces(surfaces_of(work.set, work.image->volume.geometry, progress), path);
}

void write_json(const Work& work, const std::filesystem::path& path, const jobs::Progress&) {
  contours::write_contours(work.document(), path);
}

/// Longer suffixes first.
const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {".measures.csv",
       [](const Work& work, const std::filesystem::path& path, const jobs::Progress&) {
         AtomicFile file(path);
         file.stream() << contours::measures_csv(work.set, work.image->volume);
         file.commit();
       }},
      {".nii.gz", write_label_map},
      {".nii", write_label_map},
      {".nrrd", write_label_map},
      {".mha", write_label_map},
      {".csv",
       [](const Work& work, const std::filesystem::path& path, const jobs::Progress&) {
         const dicom::SlicePositions positions(*work.image);
         contours::write_points_csv(work.document(), path, [&](images::SliceId slice, const auto& place) {
           return positions.position_mm(slice, place);
         });
       }},
      {".json", write_json},
      {".stl", write_surfaces},
      {".ply", write_surfaces},
      {".vtp", write_surfaces},
      {".seg.dcm",
       [](const Work& work, const std::filesystem::path& path, const jobs::Progress& progress) {
         dicom::write_segmentation(work.set, *work.image, path, progress);
       }},
      {".dcm",
       [](const Work& work, const std::filesystem::path& path, const jobs::Progress& progress) {
         dicom::write_rtstruct(work.set, *work.image, path, progress);
       }},
      {".svg", [](const Work& work, const std::filesystem::path& path,
                  const jobs::Progress&) { contours::write_svg(work.document(), work.slice, path); }},
  };
  return all;
}

}  // namespace

void show_written(Workspace& workspace, const std::filesystem::path& path) {
  workspace.context().show_status(QObject::tr("Written: %1").arg(QString::fromStdString(path.string())));
}

QString export_filter() {
  return QObject::tr(
      "Label map (*.nrrd *.nii *.nii.gz *.mha);;Points (*.csv);;Measures (*.measures.csv);;Contours "
      "(*.json);;Outlines of the slice (*.svg);;RT structure set (*.dcm);;DICOM segmentation "
      "(*.seg.dcm);;Surfaces (*.stl *.ply *.vtp)");
}

void export_file(Workspace& workspace, const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (workspace.model().contours().contours().empty())
    throw Error(workbench::said(QObject::tr("There are no contours to export yet.")));
  std::string known;
  for (const Format& format : formats()) {
    known += (known.empty() ? "" : ", ") + format.suffix;
    if (!name.ends_with(format.suffix)) continue;
    workspace.context().jobs.submit(workbench::said(QObject::tr("Write %1"), name), {},
                                    [&workspace, path, write = format.write,
                                     work = Work{workspace.model().image(), workspace.model().contours(),
                                                 workspace.model().slice()}](const jobs::Progress& progress) {
                                      write(work, path, progress);
                                      workspace.later([&workspace, path] { show_written(workspace, path); });
                                    });
    return;
  }
  throw Error(workbench::said(QObject::tr("%1: the suffix names no format for export; use one of %2."),
                              path.string(), known));
}

}  // namespace isolume::labs::livewire
