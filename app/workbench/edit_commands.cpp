#include <QClipboard>
#include <QGuiApplication>
#include <QPixmap>

#include "app/scene/view_widget.h"
#include "app/workbench/main_window.h"
#include "app/workbench/window_command_parts.h"

namespace isolume::workbench {
namespace {

/// The words after the key, so that `parameter.set superposition homo:1, lumo:1` needs no quotes.
std::string joined(Arguments words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void set_parameter(MainWindow& window, Arguments arguments) {
  if (arguments.size() < 2)
    throw Error("parameter.set needs a key and a value, e.g. parameter.set isovalue 0.03");
  window.history().set_text(arguments[0], joined(arguments.subspan(1)));
}

void reset_parameter(MainWindow& window, Arguments arguments) {
  if (arguments.empty()) {
    window.history().reset_all();
  } else {
    for (const std::string& key : arguments) window.history().reset(key);
  }
}

std::vector<jobs::JobStatus> waited_for(MainWindow& window) {
  auto active = window.jobs().active();
  std::erase_if(active, [](const auto& job) { return job.waited == jobs::Waited::by_nobody; });
  return active;
}

/// What the lab shows, with what its page has around the view.
void copy_image(MainWindow& window) {
  window.view().end_drafts();
  const QPixmap picture = window.page().grab();
  QGuiApplication::clipboard()->setPixmap(picture);
  window.show_status(QObject::tr("Copied: %1 × %2 pixels").arg(picture.width()).arg(picture.height()));
}

void cancel_jobs(MainWindow& window) {
  for (const jobs::JobStatus& job : waited_for(window)) window.jobs().cancel(job.id);
}

}  // namespace

void add_edit_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  const auto no_parameters = [&window] {
    return window.lab().parameters() == nullptr ? "Open a file first." : "";
  };
  commands.add({.name = "parameter.set",
                .title = "Set parameter",
                .help = "Gives a parameter a value, e.g. parameter.set isovalue 0.03.",
                .arguments = "KEY VALUE",
                .shortcut = "",
                .run = [&window](Arguments arguments) { set_parameter(window, arguments); },
                .unavailable = no_parameters});
  commands.add({.name = "parameter.reset",
                .title = "Reset parameters",
                .help = "Puts the named parameters, or all, back to their defaults.",
                .arguments = "[KEY...]",
                .shortcut = "",
                .run = [&window](Arguments arguments) { reset_parameter(window, arguments); },
                .unavailable = no_parameters});
  commands.add(
      {.name = "edit.undo",
       .title = "Undo",
       .help = "Takes back the last change.",
       .arguments = "",
       .shortcut = "Ctrl+Z",
       .run = [&window](Arguments) { window.undo_stack().undo(); },
       .unavailable = [&window] { return window.undo_stack().canUndo() ? "" : "Nothing was changed yet."; }});
  commands.add(
      {.name = "edit.redo",
       .title = "Redo",
       .help = "Makes the change again that was taken back last.",
       .arguments = "",
       .shortcut = "Ctrl+Shift+Z",
       .run = [&window](Arguments) { window.undo_stack().redo(); },
       .unavailable = [&window] { return window.undo_stack().canRedo() ? "" : "Nothing was undone."; }});
  commands.add({.name = "edit.copy",
                .title = "Copy image",
                .help = "Copies what is shown to the clipboard, at the size it is shown.",
                .arguments = "",
                .shortcut = "Ctrl+C",
                .run = [&window](Arguments) { copy_image(window); },
                .unavailable = [&window] { return window.has_document() ? "" : "Open a file first."; }});
  commands.add(
      {.name = "job.cancel",
       .title = "Cancel work",
       .help = "Stops the work under way; what is shown stays.",
       .arguments = "",
       .shortcut = "Esc",
       .run = [&window](Arguments) { cancel_jobs(window); },
       .unavailable = [&window] { return waited_for(window).empty() ? "Nothing is being computed." : ""; }});
}

}  // namespace isolume::workbench
