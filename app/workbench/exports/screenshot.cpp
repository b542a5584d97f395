#include "app/workbench/exports/screenshot.h"

#include <QPixmap>
#include <QWidget>

#include "app/pictures/qt_picture.h"
#include "app/scene/view/view_widget.h"

namespace isolume::workbench {

void write_screenshot(QWidget& window, const std::filesystem::path& path) {
  for (auto* view : window.findChildren<scene::ViewWidget*>()) view->end_drafts();
  pictures::write_png(window.grab().toImage(), path);
}

}  // namespace isolume::workbench
