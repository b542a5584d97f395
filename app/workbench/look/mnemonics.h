#pragma once

#include <QList>

class QAction;

namespace isolume::workbench {

/// Assigns each action without a mnemonic an underlined letter for the Alt key that no other action has: the
/// first letter of a word if one is free, otherwise any letter. An action gets none only if no assignment
/// serves all actions.
void give_mnemonics(const QList<QAction*>& actions);

}  // namespace isolume::workbench
