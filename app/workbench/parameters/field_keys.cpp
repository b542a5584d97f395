#include "app/workbench/parameters/field_keys.h"

#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <utility>

#include "app/workbench/parameters/typed_text.h"

namespace isolume::workbench {
namespace {

bool is_enter(const QKeyEvent& event) {
  const bool plain = !(event.modifiers() & ~Qt::KeypadModifier);
  return plain && (event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter);
}

bool is_plain(const QKeyEvent& event, Qt::Key key) {
  return event.key() == key && event.modifiers() == Qt::NoModifier;
}

bool undoes_or_redoes(const QKeyEvent& event) {
  return event.matches(QKeySequence::Undo) || event.matches(QKeySequence::Redo);
}

/// Whether a key belongs to the window even in this field.
bool is_windows(const QKeyEvent& event, const QWidget& field) {
  const bool number = qobject_cast<const QAbstractSpinBox*>(&field) != nullptr;
  return undoes_or_redoes(event) || is_plain(event, Qt::Key_Escape) ||
         (number && is_plain(event, Qt::Key_Space));
}

}  // namespace

FieldKeys::FieldKeys(QWidget& window, const QWidget& excluded, std::function<QWidget*()> view)
    : QObject(&window), window_(window), excluded_(excluded), view_(std::move(view)) {
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow_focus(now); });
}

bool FieldKeys::is_field(const QWidget& widget) const {
  const bool editor = qobject_cast<const QAbstractSpinBox*>(&widget) ||
                      qobject_cast<const QLineEdit*>(&widget) || qobject_cast<const QComboBox*>(&widget) ||
                      qobject_cast<const QAbstractSlider*>(&widget) ||
                      qobject_cast<const QCheckBox*>(&widget);
  if (!editor || !window_.isAncestorOf(&widget) || excluded_.isAncestorOf(&widget)) return false;
  for (const QWidget* each = widget.parentWidget(); each != &window_; each = each->parentWidget()) {
    if (qobject_cast<const QAbstractItemView*>(each) || each->windowType() == Qt::Dialog) return false;
  }
  return true;
}

/// The most recently installed filter runs first, so this one precedes the field's own filters.
void FieldKeys::follow_focus(QWidget* now) {
  if (field_) field_->removeEventFilter(this);
  field_ = now != nullptr && is_field(*now) ? now : nullptr;
  if (field_) field_->installEventFilter(this);
}

bool FieldKeys::eventFilter(QObject* watched, QEvent* event) {
  if (watched != field_) return false;
  if (event->type() == QEvent::ShortcutOverride) return take_override(*static_cast<QKeyEvent*>(event));
  if (event->type() == QEvent::KeyPress) return take_press(*static_cast<QKeyEvent*>(event));
  return false;
}

/// Qt runs the shortcut unless the override event is accepted.
bool FieldKeys::take_override(QKeyEvent& event) {
  if (!is_windows(event, *field_)) return false;
  const bool of_text = half_typed(field_) && !is_plain(event, Qt::Key_Space);
  event.setAccepted(of_text || view_wants(event));
  return true;
}

bool FieldKeys::take_press(QKeyEvent& event) {
  if (is_enter(event)) {
    // After the input was accepted; what was refused stays to be corrected.
    const auto leave_accepted = [this] {
      const bool refused = qobject_cast<QLineEdit*>(field_.data()) != nullptr && half_typed(field_);
      if (!refused) leave();
    };
    QMetaObject::invokeMethod(this, leave_accepted, Qt::QueuedConnection);
    return false;
  }
  if (!is_windows(event, *field_)) return false;
  if (half_typed(field_) && !is_plain(event, Qt::Key_Space)) {
    if (!is_plain(event, Qt::Key_Escape)) return false;
    QLineEdit* text = text_of(field_);
    while (text->isUndoAvailable()) text->undo();
    text->setModified(false);
    leave();
    return true;
  }
  if (view_wants(event)) {
    QApplication::sendEvent(view_(), &event);
  } else if (is_plain(event, Qt::Key_Escape)) {
    leave();
  }
  return true;  // a number has no spaces
}

/// Covers more than shortcuts do: a contour that is being traced, a distance that is being measured.
bool FieldKeys::view_wants(const QKeyEvent& event) const {
  QWidget* view = view_();
  if (view == nullptr) return false;
  QKeyEvent asked(QEvent::ShortcutOverride, event.key(), event.modifiers(), event.text());
  asked.ignore();
  QApplication::sendEvent(view, &asked);
  return asked.isAccepted();
}

void FieldKeys::leave() {
  if (!field_) return;
  discard_half_typed(field_);
  if (QWidget* view = view_(); view != nullptr && view->isVisible()) {
    view->setFocus(Qt::OtherFocusReason);
  } else {
    field_->clearFocus();
  }
}

}  // namespace isolume::workbench

#include "moc_field_keys.cpp"
