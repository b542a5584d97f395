#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace isolume::workbench {

class MainWindow;

using Arguments = std::span<const std::string>;

void add_file_commands(MainWindow& window);
void add_edit_commands(MainWindow& window);
void add_view_commands(MainWindow& window);
void add_help_commands(MainWindow& window);

/// The text as a whole number, or nothing.
std::optional<int> whole_number(std::string_view text);

}  // namespace isolume::workbench
