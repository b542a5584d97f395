#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/remarks.h"
#include "core/commands/arguments.h"
#include "core/flames/editing.h"

namespace isolume::flames {

/// A command that changes what is edited, without a window: its declaration, and its action.
struct EditCommand {
  commands::Declaration declaration;
  /// Returns remarks on files that it reads. Throws Error.
  std::function<Remarks(Editing& editing, const commands::Arguments& arguments)> edit;
};
/// flames.flame.randomise, flames.flame.mutate, flames.function.add ...
const std::vector<EditCommand>& edit_commands();
/// Throws Error if there is none of this name, if the words are wrong, if the command fails, or if its flame could not
/// be iterated; `editing` is unchanged then.
Remarks edit(Editing& editing, std::string_view command, std::span<const std::string> words);
/// The same for a whole line, which may also be "parameter.set KEY VALUE" or "flames.seek TIME".
Remarks edit(Editing& editing, std::string_view line);

}  // namespace isolume::flames
