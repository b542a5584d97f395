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
/// Takes the keyboard from the field of a window that closes: what was not accepted changes nothing any more.
void abandon_typing(QWidget& window);
/// Leaves refused text in the field, as if the person were still typing it, to be corrected.
void type_again(QLineEdit& field, const QString& text);
/// Where the field still holds such text, unchanged: shows the value again.
bool gives_up_refused(QLineEdit& field);

}  // namespace isolume::workbench
