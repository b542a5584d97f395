#pragma once

#include <QAction>
#include <QKeySequence>
#include <QMenu>
#include <QMenuBar>
#include <QSet>

#include <gtest/gtest.h>

namespace isolume {

/// Every menu, that of the bar as well, is reached by Alt and letters that are its own.
inline void expect_letters_of_their_own(const QMenuBar& bar) {
  QList<QList<QAction*>> menus{bar.actions()};
  for (const QMenu* menu : bar.findChildren<QMenu*>()) menus << menu->actions();
  for (const auto& menu : menus) {
    QSet<QString> letters;
    for (const QAction* action : menu) {
      if (action->isSeparator()) continue;
      const QString letter = QKeySequence::mnemonic(action->text()).toString();
      EXPECT_FALSE(letter.isEmpty()) << action->text().toStdString();
      EXPECT_FALSE(letters.contains(letter)) << letter.toStdString() << ": " << action->text().toStdString();
      letters << letter;
    }
  }
}

}  // namespace isolume
