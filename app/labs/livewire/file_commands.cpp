// contours.*, image.* and layer.*
#include <fmt/format.h>

#include "app/labs/livewire/commands.h"
#include "app/labs/livewire/workspace.h"
#include "app/workbench/command_registry.h"
#include "core/base/error.h"

namespace isolume::labs::livewire {
namespace {

void save(Workspace& workspace, const std::filesystem::path& path) {
  workspace.context().jobs.submit(
      "Write " + path.filename().string(), {},
      [path, session = contours::Session{workspace.model().contours(), reference_of(workspace.image())}](
          const jobs::Progress&) { contours::write_session(session, path); });
}

void check_fits(const contours::Session& session, const images::Document& image,
                const std::filesystem::path& path) {
  const auto& there = session.image.geometry.size;
  const auto& here = image.volume.geometry.size;
  if (there == here) return;
  throw InputError(path, 0,
                   fmt::format("the contours belong to an image of {} x {} x {}, this one has {} x {} x {}",
                               there[0], there[1], there[2], here[0], here[1], here[2]),
                   "Open their image first.");
}

void open(Workspace& workspace, const std::filesystem::path& path) {
  workspace.context().jobs.submit(
      "Read " + path.filename().string(), "livewire.import",
      [&workspace, path, image = workspace.model().image()](const jobs::Progress&) {
        auto session = contours::read_session(path);
        check_fits(session, *image, path);
        workspace.later([&workspace, image, set = std::move(session.set)] {
          if (image == workspace.model().image()) workspace.model().change(QObject::tr("Open contours"), set);
        });
      });
}

}  // namespace

void add_file_commands(Workspace& workspace) {
  auto& commands = workspace.context().commands;
  const auto add = [&](const char* name, const char* title, const char* help, const char* arguments,
                       std::function<void(Arguments)> run) {
    commands.add({name, title, help, arguments, "", std::move(run),
                  [&workspace] { return workspace.without_image(); }});
  };
  add("contours.save", "Save contours", "Writes all contours with their seeds, to be opened again.", "PATH",
      [&](Arguments arguments) { save(workspace, arguments[0]); });
  add("contours.open", "Open contours", "Opens contours that were saved, in the place of the present ones.",
      "PATH", [&](Arguments arguments) { open(workspace, arguments[0]); });
  add("contours.delete-all", "Delete all contours", "Deletes every contour; labels stay.", "",
      [&](Arguments) {
        contours::ContourSet next = workspace.model().contours();
        for (const auto& each : workspace.model().contours().contours()) next.remove(each->id);
        workspace.model().change(QObject::tr("Delete all contours"), std::move(next));
      });
  commands.add({.name = "image.open-series",
                .title = "Open series",
                .help = "Opens one of several series of a folder, by its UID.",
                .arguments = "FOLDER UID",
                .shortcut = "",
                .run = [&workspace](Arguments arguments) {
                  workspace.open(arguments[0], word(arguments, 1, "the UID of a series"));
                }});
}

}  // namespace isolume::labs::livewire
