#include "app/workbench/window/window_commands.h"

#include "app/workbench/commands/declared_commands.h"
#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/window/main_window.h"

namespace isolume::workbench {

void add_window_commands(MainWindow& window) {
  window.commands().declare(declared_commands());
  add_file_commands(window);
  add_document_commands(window);
  add_session_commands(window);
  add_lab_commands(window);
  add_edit_commands(window);
  add_view_commands(window);
  add_device_commands(window);
  add_help_commands(window);
  add_script_commands(window);
}

}  // namespace isolume::workbench
