#include "app/workbench/mnemonics.h"

#include <QAction>
#include <QKeySequence>
#include <QSet>
#include <algorithm>

namespace isolume::workbench {
namespace {

/// Where the letter to be underlined stands, or -1: first of a word for `word_starts`.
qsizetype free_letter(const QString& text, const QSet<QChar>& taken, bool word_starts) {
  for (qsizetype i = 0; i < text.size(); ++i) {
    // Only letters that are on every keyboard.
    const bool usable =
        text[i].unicode() < 128 && text[i].isLetterOrNumber() && !taken.contains(text[i].toLower());
    const bool starts_word = i == 0 || !text[i - 1].isLetterOrNumber();
    if (usable && (starts_word || !word_starts)) return i;
  }
  return -1;
}

QChar mnemonic_of(const QString& text) {
  const QString key = QKeySequence::mnemonic(text).toString();
  return key.isEmpty() ? QChar() : key.back().toLower();
}

}  // namespace

void give_mnemonics(const QList<QAction*>& actions) {
  QSet<QChar> taken;
  for (const QAction* action : actions) taken.insert(mnemonic_of(action->text()));
  for (QAction* action : actions) {
    QString text = action->text();
    if (action->isSeparator() || text.isEmpty() || !mnemonic_of(text).isNull()) continue;
    auto place = free_letter(text, taken, true);
    if (place < 0) place = free_letter(text, taken, false);
    if (place < 0) continue;
    taken.insert(text[place].toLower());
    action->setText(text.insert(place, QLatin1Char('&')));
  }
}

}  // namespace isolume::workbench
