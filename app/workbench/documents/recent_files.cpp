#include "app/workbench/documents/recent_files.h"

#include <QFileInfo>
#include <QSettings>

namespace isolume::workbench {
namespace {

constexpr const char* settings_key = "files/recent";
constexpr int most = 10;

}  // namespace

QStringList recent_files() {
  return QSettings().value(settings_key).toStringList();
}

void add_recent_file(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList files = recent_files();
  files.removeAll(absolute);
  files.prepend(absolute);
  QSettings().setValue(settings_key, QStringList(files.mid(0, most)));
}

}  // namespace isolume::workbench
