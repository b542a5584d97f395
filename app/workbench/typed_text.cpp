#include "app/workbench/typed_text.h"

#include <QLineEdit>

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

void type_again(QLineEdit& field, const QString& text) {
  field.selectAll();
  field.insert(text);
}

}  // namespace isolume::workbench
