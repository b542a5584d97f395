#pragma once

#include <functional>
#include <vector>

#include "core/commands/arguments.h"
#include "core/flames/editing.h"

namespace isolume::flames {

/// A command that turns a flame into another one, without a window: its declaration, and its action.
struct EditCommand {
  commands::Declaration declaration;
  /// Throws Error. Random numbers without a seed are those of the next one (Editing::last_seed).
  std::function<void(Editing& editing, const commands::Arguments& arguments)> edit;
};
/// flames.flame.randomise, flames.flame.mutate, flames.function.add ...
const std::vector<EditCommand>& edit_commands();

}  // namespace isolume::flames
