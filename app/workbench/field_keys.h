#pragma once

#include <QObject>
#include <QPointer>
#include <functional>

class QKeyEvent;
class QLineEdit;
class QWidget;

namespace isolume::workbench {

/// Keeps the window's keys alive while a field of a panel has the keyboard. Undo, redo and Esc, and in fields of numbers
/// Space, mean what they mean in the view; only while a text is being typed, undo and Esc take back what was typed.
/// Enter takes what was typed and gives the keyboard back to the view, and so does Esc where it means nothing else.
/// Fields in tables, menus and dialogs keep their keys.
class FieldKeys final : public QObject {
  Q_OBJECT
 public:
  /// `view` is what the keyboard goes back to now; `excluded` keeps its own keys.
  FieldKeys(QWidget& window, const QWidget& excluded, std::function<QWidget*()> view);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool is_field(const QWidget& widget) const;
  void follow_focus(QWidget* now);
  bool take_override(QKeyEvent& event);
  bool take_press(QKeyEvent& event);
  bool view_wants(const QKeyEvent& event) const;
  void leave();

  QWidget& window_;
  const QWidget& excluded_;
  std::function<QWidget*()> view_;
  QPointer<QWidget> field_;  ///< that has the keyboard
};

}  // namespace isolume::workbench
