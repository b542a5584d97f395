#include "app/workbench/parameters/typed_text.h"

#include <QLineEdit>
#include <QSignalBlocker>
#include <QVariant>

namespace isolume::workbench {

QLineEdit* text_of(QWidget* field) {
  if (auto* line = qobject_cast<QLineEdit*>(field)) return line;
  return field->findChild<QLineEdit*>();
}

bool half_typed(QWidget* field) {
  const QLineEdit* text = text_of(field);
  return text != nullptr && !text->isReadOnly() && text->isModified() && text->isUndoAvailable();
}

void discard_half_typed(QWidget* field) {
  if (QLineEdit* text = text_of(field)) text->setModified(false);
}

void abandon_typing(QWidget& window) {
  QWidget* field = window.focusWidget();
  if (field == nullptr) return;
  const QSignalBlocker quiet(field);
  field->clearFocus();
}

void type_again(QLineEdit& field, const QString& text) {
  field.setProperty("value", field.text());
  field.setProperty("refused", text);
  field.selectAll();
  field.insert(text);
}

bool gives_up_refused(QLineEdit& field) {
  const QVariant refused = field.property("refused");
  field.setProperty("refused", {});
  if (!refused.isValid() || field.text() != refused.toString()) return false;
  field.setText(field.property("value").toString());
  return true;
}

}  // namespace isolume::workbench
