#pragma once

#include <QLabel>

namespace isolume::slices {

/// The line above a view: "Coronal". A double click, or Enter while it has the focus, activates it.
class ViewTitle : public QLabel {
  Q_OBJECT
 public:
  explicit ViewTitle(QWidget* parent = nullptr);
  /// Tool tip that explains `activated`; without it, the title takes no focus.
  void set_help(const QString& help);

 Q_SIGNALS:
  void activated();

 protected:
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace isolume::slices
