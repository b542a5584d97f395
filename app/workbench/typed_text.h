#pragma once

class QLineEdit;
class QString;
class QWidget;

namespace isolume::workbench {

/// The text input of a field of the parameter panel; null if there is none.
QLineEdit* text_of(QWidget* field);
/// Whether a field holds typed text that has not been accepted yet.
bool half_typed(QWidget* field);
/// Such text is replaced by the next value that the field shows.
void discard_half_typed(QWidget* field);
/// As if the person had typed it: what was refused, to be corrected.
void type_again(QLineEdit& field, const QString& text);

}  // namespace isolume::workbench
