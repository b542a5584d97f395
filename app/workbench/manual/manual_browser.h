#pragma once

#include <QHash>
#include <QImage>
#include <QTextBrowser>
#include <QUrl>

namespace isolume::workbench {

/// Shows a page of the manual in the available width, with scaled pictures and wrapped tables and lines, and
/// highlights words.
class ManualBrowser final : public QTextBrowser {
  Q_OBJECT
 public:
  explicit ManualBrowser(QWidget* parent = nullptr);
  /// Highlights the words on the shown page, and moves to the first of them at or below the heading; without
  /// a heading, from the top.
  void mark(const QStringList& words, const QString& heading);

 protected:
  QVariant loadResource(int type, const QUrl& name) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void show_page(const QUrl& source);
  int picture_width() const;
  void fit_pictures();

  QString text_;                   ///< of a requested page that is not shown yet
  QTextDocument* page_ = nullptr;  ///< the shown page
  QHash<QUrl, QImage> pictures_;   ///< in the resolution of their files
};

}  // namespace isolume::workbench
