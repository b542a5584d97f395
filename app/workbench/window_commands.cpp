#include "app/workbench/window_commands.h"

#include <charconv>

#include "app/workbench/window_command_parts.h"

namespace isolume::workbench {

void add_window_commands(MainWindow& window) {
  add_file_commands(window);
  add_session_commands(window);
  add_lab_commands(window);
  add_edit_commands(window);
  add_view_commands(window);
  add_device_commands(window);
  add_help_commands(window);
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace isolume::workbench
