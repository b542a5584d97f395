#pragma once

#include <QObject>
#include <QPointer>
#include <functional>

class QKeyEvent;
class QLineEdit;
class QWidget;

namespace isolume::workbench {

/// Keeps the window's keys active while a field of a panel has the focus. Undo, redo and Esc, and in number
/// fields Space, act as in the view; only while a text is being typed, undo and Esc revert the typing. Enter
/// accepts the input and returns the focus to the view, and so does Esc if it has no other meaning. Fields in
/// tables, menus and dialogs keep their keys.
class FieldKeys final : public QObject {
  Q_OBJECT
 public:
  /// `view` returns the widget that gets the focus back; `excluded` keeps its own keys.
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
  QPointer<QWidget> field_;  ///< with the focus
};

}  // namespace isolume::workbench
