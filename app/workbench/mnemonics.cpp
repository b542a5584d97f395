#include "app/workbench/mnemonics.h"

#include <QAction>
#include <QKeySequence>
#include <QSet>
#include <algorithm>

namespace isolume::workbench {
namespace {

/// Only letters that are on every keyboard.
bool usable(QChar letter) {
  return letter.unicode() < 128 && letter.isLetterOrNumber();
}

/// Where the letter to be underlined stands, or -1: first of a word for `word_starts`.
qsizetype free_letter(const QString& text, const QSet<QChar>& taken, bool word_starts) {
  for (qsizetype i = 0; i < text.size(); ++i) {
    const bool starts_word = i == 0 || !text[i - 1].isLetterOrNumber();
    if (usable(text[i]) && !taken.contains(text[i].toLower()) && (starts_word || !word_starts)) return i;
  }
  return -1;
}

QChar mnemonic_of(const QString& text) {
  const QString key = QKeySequence::mnemonic(text).toString();
  return key.isEmpty() ? QChar() : key.back().toLower();
}

/// Those that need a letter, those that have few to choose from first: "C₆₀" has but one.
QList<QAction*> without_letter(const QList<QAction*>& actions) {
  QList<QAction*> result;
  for (QAction* action : actions) {
    if (!action->isSeparator() && !action->text().isEmpty() && mnemonic_of(action->text()).isNull())
      result << action;
  }
  const auto choice = [](const QAction* action) {
    const QString text = action->text();
    return std::min<std::ptrdiff_t>(3, std::count_if(text.begin(), text.end(), usable));
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const QAction* a, const QAction* b) { return choice(a) < choice(b); });
  return result;
}

}  // namespace

void give_mnemonics(const QList<QAction*>& actions) {
  QSet<QChar> taken;
  for (const QAction* action : actions) taken.insert(mnemonic_of(action->text()));
  for (QAction* action : without_letter(actions)) {
    QString text = action->text();
    auto place = free_letter(text, taken, true);
    if (place < 0) place = free_letter(text, taken, false);
    if (place < 0) continue;
    taken.insert(text[place].toLower());
    action->setText(text.insert(place, QLatin1Char('&')));
  }
}

}  // namespace isolume::workbench
