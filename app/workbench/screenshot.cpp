#include "app/workbench/screenshot.h"

#include <QPixmap>
#include <QWidget>

#include "app/scene/view_widget.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace isolume::workbench {

void write_screenshot(QWidget& window, const std::filesystem::path& path) {
  for (auto* view : window.findChildren<scene::ViewWidget*>()) view->end_drafts();
  AtomicFile file(path);
  if (!window.grab().save(QString::fromStdString(file.temporary().string()), "PNG")) {
    throw Error(path.string() +
                ": the window's picture could not be written. Choose another place or free some space.");
  }
  file.commit();
}

}  // namespace isolume::workbench
