#include "app/workbench/contract/file_filter.h"

#include <QRegularExpression>
#include <QStringList>

#include "app/workbench/contract/translated.h"

namespace isolume::workbench {

QString filter_of(const std::vector<FileFormats>& formats) {
  QStringList filters;
  for (const FileFormats& each : formats)
    filters << translated(each.title) + " (" + QString::fromStdString(each.patterns()) + ")";
  return filters.join(";;");
}

QString first_suffix(const QString& filter) {
  static const QRegularExpression pattern("\\(\\*\\.([^ )*]+)");
  return pattern.match(filter).captured(1);
}

}  // namespace isolume::workbench
