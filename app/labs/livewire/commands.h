#pragma once

#include <span>
#include <string>

namespace isolume::labs::livewire {

class Workspace;

using Arguments = std::span<const std::string>;

/// Everything that a person can do, by name. Slices, seeds and contours are counted from 1, places are in
/// pixels of the slice (the first one's centre is 0 0).
void add_slice_commands(Workspace& workspace);
void add_trace_commands(Workspace& workspace);
void add_contour_commands(Workspace& workspace);
void add_label_commands(Workspace& workspace);
void add_suggestion_commands(Workspace& workspace);
void add_file_commands(Workspace& workspace);

/// The argument as a number. Throws Error that says what was expected.
double real(Arguments arguments, std::size_t index, const char* what);
/// A whole number, 1 or more.
int counted(Arguments arguments, std::size_t index, const char* what);
/// "#e69f00".
std::string colour_argument(Arguments arguments, std::size_t index);
/// The first argument as the number of a label that there is.
int existing_label(const Workspace& workspace, Arguments arguments);
/// What stands there, or Error.
const std::string& word(Arguments arguments, std::size_t index, const char* what);
/// All from `first` on, with blanks between.
std::string rest(Arguments arguments, std::size_t first);

}  // namespace isolume::labs::livewire
