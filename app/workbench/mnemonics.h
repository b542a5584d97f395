#pragma once

#include <QList>

class QAction;

namespace isolume::workbench {

/// Gives each action that has none an underlined letter for the Alt key that no other of them has: the first
/// of a word where one is free, else any. An action stays without only where no choice of letters serves all.
void give_mnemonics(const QList<QAction*>& actions);

}  // namespace isolume::workbench
