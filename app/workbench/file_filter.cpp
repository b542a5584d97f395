#include "app/workbench/file_filter.h"

#include <QDir>
#include <QRegularExpression>

namespace isolume::workbench {

bool matches_filter(const std::filesystem::path& path, const QString& filter) {
  static const QRegularExpression parentheses("\\(([^)]*)\\)");
  QStringList patterns;
  for (auto found = parentheses.globalMatch(filter); found.hasNext();)
    patterns += found.next().captured(1).split(' ', Qt::SkipEmptyParts);
  return QDir::match(patterns, QString::fromStdString(path.filename().string()));
}

QString first_suffix(const QString& filter) {
  static const QRegularExpression pattern("\\(\\*\\.([^ )*]+)");
  return pattern.match(filter).captured(1);
}

}  // namespace isolume::workbench
