#pragma once

#include <QHash>
#include <QImage>
#include <QTextBrowser>
#include <QUrl>

namespace isolume::workbench {

/// Shows a page of the manual in the width there is: pictures whole, tables and lines wrapped; and marks
/// words.
class ManualBrowser final : public QTextBrowser {
  Q_OBJECT
 public:
  explicit ManualBrowser(QWidget* parent = nullptr);
  /// Marks the words on the shown page, and goes to the first of them at or below the heading; without a
  /// heading, from the top.
  void mark(const QStringList& words, const QString& heading);

 protected:
  QVariant loadResource(int type, const QUrl& name) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void show_page(const QUrl& source);
  int picture_width() const;
  void fit_pictures();

  QString text_;                   ///< of a page that is asked for and not shown yet
  QTextDocument* page_ = nullptr;  ///< shown
  QHash<QUrl, QImage> pictures_;   ///< as they are in their files
};

}  // namespace isolume::workbench
