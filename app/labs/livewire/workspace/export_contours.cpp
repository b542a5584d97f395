#include "app/labs/livewire/workspace/export_contours.h"

#include <QObject>

#include "app/labs/livewire/files/contour_formats.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"

namespace isolume::labs::livewire {

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
  const ContourFormat& format = contour_format_of(path);
  const contours::ContourSet& set = workspace.model().contours();
  if (set.contours().empty() && (set.rulers().empty() || !format.holds_rulers))
    throw Error(workbench::said(QObject::tr("There are no contours to export yet.")));
  workspace.drop_remarks();
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Write %1"), path.filename().string()), {},
      [&workspace, path,
       drawing = Drawing{workspace.model().image(), workspace.model().contours(), workspace.model().slice()}](
          const jobs::Progress& progress) {
        Remarks told;
        const auto tell = [&](const Remarks& remarks) {
          told.add(remarks);
          workspace.later([&workspace, told] { workspace.show_remarks(told); });
        };
        write_drawing(drawing, path, tell, progress);
        workspace.later([&workspace, path] { show_written(workspace, path); });
      });
}

}  // namespace isolume::labs::livewire
