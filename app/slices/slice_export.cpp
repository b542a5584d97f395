#include "app/slices/slice_export.h"

#include "app/pictures/qt_picture.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"

namespace isolume::slices {

using workbench::said;

void check_opaque(bool transparent) {
  if (!transparent) return;
  throw Error(said(QObject::tr(
      "A slice fills the image, so there is no background to make transparent. Leave out transparent.")));
}

void write_slice_picture(workbench::LabContext& context, const SlicePicture& wanted,
                         const std::filesystem::path& path, int width, int height, int dpi) {
  context.jobs.submit(said(QObject::tr("Write %1"), path.filename().string()), {},
                      [path, dpi, drawn = draw_slice_picture(wanted, width, height)](const jobs::Progress&) {
                        pictures::write_png(drawn, path, dpi);
                      });
}

}  // namespace isolume::slices
