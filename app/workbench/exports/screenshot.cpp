#include "app/workbench/exports/screenshot.h"

#include <QBuffer>
#include <QPixmap>
#include <QWidget>

#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/translated.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace isolume::workbench {

void write_screenshot(QWidget& window, const std::filesystem::path& path) {
  for (auto* view : window.findChildren<scene::ViewWidget*>()) view->end_drafts();
  QByteArray bytes;
  QBuffer buffer(&bytes);
  if (!window.grab().save(&buffer, "PNG"))
    throw Error(said(QObject::tr("%1: the screenshot could not be encoded as PNG."), path.string()));
  AtomicFile file(path);
  file.stream().write(bytes.constData(), bytes.size());
  file.commit();
}

}  // namespace isolume::workbench
