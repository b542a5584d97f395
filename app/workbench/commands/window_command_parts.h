#pragma once

#include <string>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/look/ask_for_file.h"

class QDockWidget;

namespace isolume::workbench {

class MainWindow;

void add_file_commands(MainWindow& window);
void add_document_commands(MainWindow& window);
void add_session_commands(MainWindow& window);
void add_lab_commands(MainWindow& window);
void add_edit_commands(MainWindow& window);
void add_view_commands(MainWindow& window);
void add_help_commands(MainWindow& window);
void add_script_commands(MainWindow& window);
void add_device_commands(MainWindow& window);

/// `file.export-movie`: asks for the subject of a movie, or films it.
void export_movie(MainWindow& window, const Arguments& arguments);

/// Setting with the last folder for sessions.
inline constexpr const char* session_folder_key = "files/session-folder";

/// The name for files written from a document: its file's name without suffixes, "benzene" for
/// benzene.fchk.gz. "isolume" without a file.
QString name_for_export(const MainWindow& window);

/// The name of a panel in commands: its title in English.
std::string panel_name(const QDockWidget& dock);

}  // namespace isolume::workbench
