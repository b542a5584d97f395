#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace isolume::workbench {

/// A line across the window that reports a problem and stays until it is closed or replaced. Its text can be
/// selected and copied; it does not block the window.
class Banner : public QFrame {
  Q_OBJECT
 public:
  enum class Kind { warning, error };
  explicit Banner(Kind kind, QWidget* parent = nullptr);

  /// An empty text hides the banner.
  void set_text(const QString& text);
  QString text() const;
  /// A button that goes with the text; an empty title removes it.
  void set_offer(const QString& title);

 Q_SIGNALS:
  void offer_taken();

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void colour();

  Kind kind_;
  QLabel* icon_;
  QLabel* label_;
  QPushButton* offer_;
};

}  // namespace isolume::workbench
