#include "app/workbench/look/mnemonics.h"

#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QSet>
#include <algorithm>
#include <utility>

namespace isolume::workbench {
namespace {

/// Only letters that are on every keyboard.
bool usable(QChar letter) {
  return letter.unicode() < 128 && letter.isLetterOrNumber();
}

/// Positions of letters that may be underlined: first letters of words before others, each letter once.
QList<qsizetype> places_of(const QString& text) {
  QList<qsizetype> places;
  QSet<QChar> found;
  const qsizetype tab = text.indexOf('\t'), end = tab < 0 ? text.size() : tab;  // a key follows
  for (const bool word_starts : {true, false}) {
    for (qsizetype i = 0; i < end; ++i) {
      const bool starts_word = i == 0 || !text[i - 1].isLetterOrNumber();
      const QChar letter = text[i].toLower();
      if (!usable(text[i]) || found.contains(letter) || (word_starts && !starts_word)) continue;
      found.insert(letter);
      places << i;
    }
  }
  return places;
}

QChar mnemonic_of(const QString& text) {
  const QString key = QKeySequence::mnemonic(text).toString();
  return key.isEmpty() ? QChar() : key.back().toLower();
}

/// The actions that need a letter, those with the fewest choices first: "C₆₀" has only one.
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

/// Assigns letters to texts, no letter twice: if all letters of a text are taken, other texts change theirs
/// if possible (augmenting paths of H. W. Kuhn, Naval Res. Logist. Q. 2, 83, 1955).
class Letters {
 public:
  Letters(QList<QString> texts, QSet<QChar> taken) : texts_(std::move(texts)), taken_(std::move(taken)) {
    for (qsizetype text = 0; text < texts_.size(); ++text) {
      QSet<QChar> tried;
      give(text, tried);
    }
  }
  /// The letter's position in the text; -1 if the text has none.
  qsizetype place(qsizetype text) const {
    for (auto at = owners_.begin(); at != owners_.end(); ++at) {
      if (at->text == text) return at->place;
    }
    return -1;
  }

 private:
  struct Owner {
    qsizetype text, place;
  };

  bool give(qsizetype text, QSet<QChar>& tried) {
    const QList<qsizetype> places = places_of(texts_[text]);
    const auto letter_at = [&](qsizetype place) { return texts_[text][place].toLower(); };
    for (const qsizetype place : places) {
      if (taken_.contains(letter_at(place)) || owners_.contains(letter_at(place))) continue;
      owners_[letter_at(place)] = {text, place};
      return true;
    }
    for (const qsizetype place : places) {
      const QChar letter = letter_at(place);
      if (taken_.contains(letter) || tried.contains(letter)) continue;
      tried.insert(letter);
      if (!give(owners_[letter].text, tried)) continue;
      owners_[letter] = {text, place};
      return true;
    }
    return false;
  }

  QList<QString> texts_;
  QSet<QChar> taken_;
  QHash<QChar, Owner> owners_;
};

}  // namespace

void give_mnemonics(const QList<QAction*>& actions) {
  QSet<QChar> taken;
  for (const QAction* action : actions) taken.insert(mnemonic_of(action->text()));
  const QList<QAction*> needy = without_letter(actions);
  QList<QString> texts;
  for (const QAction* action : needy) texts << action->text();
  const Letters letters(texts, taken);
  for (qsizetype i = 0; i < needy.size(); ++i) {
    if (const qsizetype place = letters.place(i); place >= 0)
      needy[i]->setText(texts[i].insert(place, QLatin1Char('&')));
  }
}

}  // namespace isolume::workbench
