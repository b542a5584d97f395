#include "app/workbench/commands/declared_commands.h"

#include <iterator>

namespace isolume::workbench {
namespace {

using commands::choice;
using commands::counted;
using commands::Declaration;
using commands::integer;
using commands::number;
using commands::path;
using commands::text;

commands::Argument beside() {
  return choice("where", "Opens the file in a new tab and keeps the current document.", {"beside"})
      .optional();
}

std::vector<Declaration> of_files() {
  return {
      {.name = "file.open",
       .title = "Open...",
       .help = "Opens a file or folder in the first lab that can read it; the current lab is tried first.",
       .arguments = {beside(),
                     path("path", "The file or folder; if omitted, a dialog asks for it.").asked_for()},
       .keywords = "load read import"},
      {.name = "file.open-folder",
       .title = "Open folder...",
       .help = "Opens a folder, e.g. the files of a DICOM series.",
       .arguments = {beside(), path("path", "The folder; if omitted, a dialog asks for it.").asked_for()},
       .keywords = "load read import directory"},
      {.name = "file.open-in",
       .title = "Open in lab",
       .help = "Opens a file in the named lab, even if another lab would open it by default; if the path is "
               "omitted, the current file.",
       .arguments = {text("lab", "The lab, e.g. electrostatics."),
                     path("path", "The file; if omitted, the current one.").optional()},
       .keywords = "other lab wavefunction"},
      {.name = "file.open-sample",
       .title = "Open sample",
       .help = "Opens one of the bundled samples, e.g. benzene.",
       .arguments = {beside(), text("name", "The sample's title or file name.").repeatable()},
       .keywords = "example demo"},
      {.name = "file.recent",
       .title = "Open recent file",
       .help = "Reopens a recent file; 1 is the most recent.",
       .arguments = {counted("number", "Its position in the list of recent files.").shown_as("N"), beside()},
       .keywords = "last again"},
      {.name = "file.export-image",
       .title = "Export image...",
       .help = "Saves the view as a PNG image of any size.",
       .arguments = {path("path", "The PNG file; if omitted, a dialog asks for it.").asked_for(),
                     choice("background", "Makes the background transparent.", {"transparent"}).optional(),
                     integer("dpi", "Resolution in dots per inch, stored in the file.")
                         .range(1, 2400)
                         .optional(std::int64_t{300})
                         .shown_as("DPI"),
                     text("size", "Width and height in pixels, 1 to 16384 each.")
                         .optional(std::string("1920x1440"))
                         .shown_as("WIDTHxHEIGHT")},
       .keywords = "save write picture screenshot figure"},
      {.name = "file.export-movie",
       .title = "Export movie...",
       .help =
           "Saves a movie that plays the lab's time, turns the camera or sweeps a parameter: .mp4, .webm, or "
           "NAME%04d.png for one picture per frame.",
       .arguments =
           {path("path", "The movie; if omitted, a dialog asks for it.").asked_for(),
            choice("over",
                   "What changes: the lab's time (of an image, its slices), the camera that turns, or a "
                   "parameter.",
                   {"time", "turn", "parameter"})
                .optional(std::string("time")),
            text("setting",
                 "from=, to= (in the unit of the time or the parameter, or degrees), seconds=, fps=, "
                 "size=WIDTHxHEIGHT, and of a parameter name=.")
                .shown_as("NAME=VALUE")
                .optional()
                .repeatable()},
       .keywords = "save write video film animation mp4 webm camera orbit sweep"},
      {.name = "file.export",
       .title = "Export data...",
       .help = "Exports what is shown; the file's suffix sets the format.",
       .arguments = {path("path", "The file; if omitted, a dialog asks for it.").asked_for()},
       .keywords = "save write"},
      {.name = "app.quit", .title = "Quit", .help = "Closes Isolume.", .keywords = "exit close"},
  };
}

std::vector<Declaration> of_documents() {
  return {
      {.name = "document.list",
       .title = "List documents",
       .help = "Lists the open documents of all labs.",
       .recorded = false,
       .result = "A list of documents: lab, number, name, path, front (of its lab) and shown."},
      {.name = "document.show",
       .title = "Show document",
       .help = "Switches to another document of the current lab; each has its own parameters, view and undo "
               "history.",
       .arguments = {text("document", "Its number from 1 in the order of the tabs, or its name.")
                         .repeatable()
                         .shown_as("N|NAME")},
       .keywords = "tab switch"},
      {.name = "document.close",
       .title = "Close document",
       .help = "Closes the current document, or another one of the current lab.",
       .arguments = {text("document", "Its number from 1 in the order of the tabs, or its name.")
                         .repeatable()
                         .optional()
                         .shown_as("N|NAME")},
       .keywords = "tab"},
      {.name = "document.next",
       .title = "Next document",
       .help = "Switches to the next tab; the first one follows the last.",
       .keywords = "tab switch"},
      {.name = "document.previous",
       .title = "Previous document",
       .help = "Switches to the previous tab; the last one precedes the first.",
       .keywords = "tab switch"},
  };
}

std::vector<Declaration> of_sessions() {
  return {
      {.name = "session.save",
       .title = "Save session",
       .help = "Saves all open documents, with parameters, views and contours, to continue later.",
       .arguments = {path("path",
                          "The session file; if omitted, the one that was saved or opened last, or a dialog "
                          "asks for it.")
                         .asked_for()},
       .keywords = "save project workspace"},
      {.name = "session.save-as",
       .title = "Save session as...",
       .help = "Saves all open documents to another session file, which later saves use.",
       .arguments = {path("path", "The session file; if omitted, a dialog asks for it.").asked_for()},
       .keywords = "save project workspace copy"},
      {.name = "session.open",
       .title = "Open session",
       .help = "Opens a saved session.",
       .arguments = {path("path", "The session file."),
                     text("place",
                          "New paths of files that have been moved, by lab; orbitals.2 is the second "
                          "document of that lab.")
                         .shown_as("LAB=PATH")
                         .optional()
                         .repeatable()},
       .keywords = "load project workspace"},
      {.name = "session.restore",
       .title = "Restore last session",
       .help = "Reopens what was open when Isolume was closed without saving it, or ended unexpectedly.",
       .keywords = "crash recover autosave"},
  };
}

std::vector<Declaration> of_edits() {
  return {
      {.name = "parameter.set",
       .title = "Set parameter",
       .help = "Sets a parameter, e.g. parameter.set isovalue 0.03.",
       .arguments = {text("key", "The parameter's name in commands; its tooltip shows it."),
                     text("value", "Its new value, in the parameter's unit.").repeatable()}},
      {.name = "parameter.show",
       .title = "Go to parameter",
       .help = "Goes to a parameter in the Parameters panel, e.g. parameter.show opacity.",
       .arguments = {text("key", "The parameter's name in commands.")},
       .recorded = false},
      {.name = "parameter.reset",
       .title = "Reset all parameters",
       .help =
           "Resets the named parameters to their defaults, or all of them, including those that are hidden "
           "now and the isovalues of other fields.",
       .arguments = {text("key", "Names of parameters; if omitted, all.").repeatable().optional()},
       .keywords = "defaults restore"},
      {.name = "edit.undo", .title = "Undo", .help = "Undoes the last change.", .keywords = "revert back"},
      {.name = "edit.redo",
       .title = "Redo",
       .help = "Redoes the last undone change.",
       .keywords = "repeat again"},
      {.name = "edit.copy",
       .title = "Copy image",
       .help = "Copies the view to the clipboard at its current size.",
       .keywords = "clipboard picture screenshot"},
      {.name = "job.cancel",
       .title = "Stop",
       .help = "Stops the animation, or cancels the current computation; the picture stays.",
       .keywords = "cancel abort"},
  };
}

std::vector<Declaration> of_scripts() {
  return {
      {.name = "script.record",
       .title = "Record script",
       .help = "Starts recording what you do as a script.",
       .keywords = "macro",
       .recorded = false},
      {.name = "script.stop",
       .title = "Stop recording",
       .help = "Stops recording; script.save saves the script.",
       .keywords = "macro",
       .recorded = false},
      {.name = "script.save",
       .title = "Save recorded script...",
       .help = "Saves the recording as a file for script.run and isolume --script.",
       .arguments = {path("path", "The file; if omitted, a dialog asks for it.").asked_for()},
       .keywords = "macro",
       .recorded = false},
      {.name = "script.run",
       .title = "Run script...",
       .help = "Runs a file of commands, one per line, each when the previous one has finished; stops at the "
               "first error.",
       .arguments = {path("path", "The file; if omitted, a dialog asks for it.").asked_for()},
       .keywords = "macro replay play"},
  };
}

std::vector<Declaration> of_views() {
  return {
      {.name = "view.turn-left", .title = "Rotate left", .help = "Rotates the scene by 10 degrees."},
      {.name = "view.turn-right", .title = "Rotate right", .help = "Rotates the scene by 10 degrees."},
      {.name = "view.turn-up", .title = "Rotate up", .help = "Rotates the scene by 10 degrees."},
      {.name = "view.turn-down", .title = "Rotate down", .help = "Rotates the scene by 10 degrees."},
      {.name = "view.zoom-in", .title = "Zoom in", .help = "Zooms in on the scene."},
      {.name = "view.zoom-out", .title = "Zoom out", .help = "Zooms out of the scene."},
      {.name = "view.reset",
       .title = "Reset view",
       .help = "Fits everything in the view.",
       .keywords = "fit home centre zoom camera"},
      {.name = "view.preset",
       .title = "View from",
       .help = "Views the scene from a standard direction.",
       .arguments = {choice(
           "side", "Where the camera is.",
           {"front", "back", "left", "right", "top", "bottom", "isometric", "widest", "tilted"})},
       .keywords = "camera side look"},
      {.name = "view.camera",
       .title = "Set camera",
       .help = "Sets the position and direction of the camera; recorded scripts use it.",
       .arguments =
           {text("camera",
                 "Position, focal point and up vector in angstrom; for orthographic views also the scale.")
                .shown_as("PX,PY,PZ,FX,FY,FZ,UX,UY,UZ[,SCALE]")}},
      {.name = "view.projection",
       .title = "Projection",
       .help = "Chooses the projection: orthographic keeps sizes, perspective shows depth.",
       .arguments = {choice("projection", "Which projection.", {"orthographic", "perspective"})},
       .keywords = "camera parallel"},
      {.name = "view.interaction",
       .title = "Rotation mode",
       .help = "Chooses how dragging rotates: trackball freely, turntable with the vertical kept upright.",
       .arguments = {choice("mode", "Which mode.", {"trackball", "turntable"})},
       .keywords = "rotate drag orbit mouse"},
      {.name = "view.theme",
       .title = "Theme",
       .help = "Chooses light or dark colours, or those of the desktop.",
       .arguments = {choice("theme", "Which theme.", {"system", "light", "dark"})},
       .keywords = "colours appearance night mode settings"},
      {.name = "view.full-screen", .title = "Full screen", .help = "Enters or leaves full-screen mode."},
      {.name = "view.panel",
       .title = "Show or hide panel",
       .help = "Shows or hides a panel, e.g. view.panel log.",
       .arguments = {text("name", "The panel's title.").repeatable()},
       .keywords = "dock"},
      {.name = "command.palette",
       .title = "Command palette...",
       .help = "Finds commands, parameters, samples, files and settings by typing.",
       .arguments = {text("text", "Text to start with.").repeatable().optional()},
       .recorded = false},
      {.name = "lab.show",
       .title = "Show lab",
       .help = "Switches to another lab; each has its own documents and panels.",
       .arguments = {text("lab", "Its name in commands, e.g. orbitals.")},
       .keywords = "switch"},
  };
}

std::vector<Declaration> of_devices_and_help() {
  return {
      {.name = "device.enable",
       .title = "Enable device",
       .help = "Lets jobs use a disabled device again; numbers are those of the Devices panel.",
       .arguments = {integer("number", "The device's number.").range(0, 1e6).shown_as("N")},
       .keywords = "gpu cpu"},
      {.name = "device.disable",
       .title = "Disable device",
       .help = "Excludes a device from further jobs; numbers are those of the Devices panel.",
       .arguments = {integer("number", "The device's number.").range(0, 1e6).shown_as("N")},
       .keywords = "gpu cpu set aside"},
      {.name = "devices.export-timeline",
       .title = "Export timeline...",
       .help = "Saves the last job's tiles as a table (.csv) or a trace (.json).",
       .arguments = {path("path", "The file; if omitted, a dialog asks for it.").asked_for()}},
      {.name = "help.manual",
       .title = "Manual",
       .help = "Opens the manual and searches it for words.",
       .arguments = {text("words", "What to search for.").repeatable().optional()},
       .keywords = "help documentation guide",
       .recorded = false},
      {.name = "help.shortcuts",
       .title = "Keyboard shortcuts",
       .help = "Lists all keyboard shortcuts.",
       .keywords = "keys hotkeys keyboard",
       .recorded = false},
      {.name = "help.about",
       .title = "About Isolume",
       .help = "Shows the version, the licence and the libraries used.",
       .recorded = false},
  };
}

}  // namespace

std::vector<Declaration> declared_commands() {
  std::vector<Declaration> all = of_files();
  for (auto more :
       {of_documents(), of_sessions(), of_edits(), of_scripts(), of_views(), of_devices_and_help()})
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return all;
}

std::vector<Declaration> playback_declarations(const std::string& prefix, const std::string& counted) {
  const bool of_time = counted == "time";
  const std::string keywords = "animation movie time";
  return {
      {.name = prefix + ".step",
       .title = "Step",
       .help = "Pauses and steps by this many frames; a negative number steps back.",
       .arguments = {integer("frames", "Number of frames.").optional(std::int64_t{1})},
       .keywords = keywords},
      {.name = prefix + ".seek",
       .title = "Go to " + counted,
       .help = of_time ? "Pauses at a time, in the unit shown in the playback bar."
                       : "Pauses at a " + counted + ", by the number shown in the playback bar.",
       .arguments = {of_time ? number("time", "The time, in that unit.")
                             : number(counted, "Number of the " + counted + ", without decimals.")},
       .keywords = keywords},
      {.name = prefix + ".speed",
       .title = "Playback speed",
       .help = "Speed relative to normal: 2 is twice as fast, 0.5 half as fast.",
       .arguments = {number("factor", "Above 0.")},
       .keywords = keywords},
      {.name = prefix + ".reverse",
       .title = "Play backwards",
       .help = "Reverses the direction of time.",
       .keywords = keywords},
      {.name = prefix + ".loop",
       .title = "Loop playback",
       .help = "Whether playback starts again at its end or stops there.",
       .keywords = keywords},
  };
}

}  // namespace isolume::workbench
