#include "app/workbench/declared_commands.h"

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
  return choice("where", "Keeps the present document, and opens this one in a tab of its own.", {"beside"})
      .optional();
}

std::vector<Declaration> of_files() {
  return {
      {.name = "file.open",
       .title = "Open...",
       .help = "Opens a file or a folder in the lab that takes it; the shown lab is asked first.",
       .arguments = {beside(), path("path", "The file or folder; without it, a dialog asks.").asked_for()},
       .keywords = "load read import"},
      {.name = "file.open-folder",
       .title = "Open folder...",
       .help = "Opens a folder, e.g. the files of a DICOM series.",
       .arguments = {beside(), path("path", "The folder; without it, a dialog asks.").asked_for()},
       .keywords = "load read import directory"},
      {.name = "file.open-sample",
       .title = "Open sample",
       .help = "Opens one of the shipped samples, e.g. benzene.",
       .arguments = {beside(), text("name", "The sample's title, or its file's name.").repeatable()},
       .keywords = "example demo"},
      {.name = "file.recent",
       .title = "Open recent file",
       .help = "Opens a file again: 1 is the one opened last.",
       .arguments = {counted("number", "Its place in the list of recent files.").shown_as("N"), beside()},
       .keywords = "last again"},
      {.name = "file.export-image",
       .title = "Export image...",
       .help = "Writes the view as a PNG image of any size.",
       .arguments = {path("path", "The PNG file; without it, a dialog asks.").asked_for(),
                     choice("background", "Leaves the background out.", {"transparent"}).optional(),
                     integer("dpi", "Dots per inch, as written into the file.")
                         .range(1, 2400)
                         .optional(std::int64_t{300})
                         .shown_as("DPI"),
                     text("size", "Width and height in pixels, 1 to 16384 each.")
                         .optional(std::string("1920x1440"))
                         .shown_as("WIDTHxHEIGHT")},
       .keywords = "save write picture screenshot figure"},
      {.name = "file.export",
       .title = "Export data...",
       .help = "Writes what is shown; the file's suffix says in which format.",
       .arguments = {path("path", "The file; without it, a dialog asks.").asked_for()},
       .keywords = "save write"},
      {.name = "app.quit", .title = "Quit", .help = "Ends the program.", .keywords = "exit close"},
  };
}

std::vector<Declaration> of_documents() {
  return {
      {.name = "document.list",
       .title = "List documents",
       .help = "Tells the documents of all labs.",
       .recorded = false,
       .result = "A list; of each lab, number, name, path, front (of its lab) and shown."},
      {.name = "document.show",
       .title = "Show document",
       .help = "Goes to another document of the shown lab; each has its parameters, view and undo list.",
       .arguments = {text("document", "Its number from 1 in the order of the tabs, or its name.")
                         .repeatable()
                         .shown_as("N|NAME")},
       .keywords = "tab switch"},
      {.name = "document.close",
       .title = "Close document",
       .help = "Closes the shown document, or another one of the shown lab.",
       .arguments = {text("document", "Its number from 1 in the order of the tabs, or its name.")
                         .repeatable()
                         .optional()
                         .shown_as("N|NAME")},
       .keywords = "tab"},
      {.name = "document.next",
       .title = "Next document",
       .help = "Goes to the next tab; after the last one comes the first.",
       .keywords = "tab switch"},
      {.name = "document.previous",
       .title = "Previous document",
       .help = "Goes to the tab before; before the first one comes the last.",
       .keywords = "tab switch"},
  };
}

std::vector<Declaration> of_sessions() {
  return {
      {.name = "session.save",
       .title = "Save session...",
       .help = "Saves all open documents, with their parameters, views and contours, to go on with later.",
       .arguments = {path("path", "The session's file; without it, a dialog asks.").asked_for()},
       .keywords = "save project workspace"},
      {.name = "session.open",
       .title = "Open session",
       .help = "Opens a saved session.",
       .arguments = {path("path", "The session's file."),
                     text("place",
                          "Where the data of a lab are now, if they were moved; orbitals.2 is the second "
                          "document of that lab.")
                         .shown_as("LAB=PATH")
                         .optional()
                         .repeatable()},
       .keywords = "load project workspace"},
      {.name = "session.restore",
       .title = "Restore last session",
       .help = "Opens what was open when the program ended unexpectedly.",
       .keywords = "crash recover autosave"},
  };
}

std::vector<Declaration> of_edits() {
  return {
      {.name = "parameter.set",
       .title = "Set parameter",
       .help = "Gives a parameter a value, e.g. parameter.set isovalue 0.03.",
       .arguments = {text("key", "The parameter's name in commands, as its tool tip says."),
                     text("value", "Its new value, in its unit.").repeatable()}},
      {.name = "parameter.show",
       .title = "Go to parameter",
       .help = "Leads to a parameter in its panel, e.g. parameter.show opacity.",
       .arguments = {text("key", "The parameter's name in commands.")},
       .recorded = false},
      {.name = "parameter.reset",
       .title = "Reset parameters",
       .help = "Puts the named parameters, or all, back to their defaults.",
       .arguments = {text("key", "Names of parameters; without any, all.").repeatable().optional()},
       .keywords = "defaults restore"},
      {.name = "edit.undo",
       .title = "Undo",
       .help = "Takes back the last change.",
       .keywords = "revert back"},
      {.name = "edit.redo",
       .title = "Redo",
       .help = "Makes the change again that was taken back last.",
       .keywords = "repeat again"},
      {.name = "edit.copy",
       .title = "Copy image",
       .help = "Copies what is shown to the clipboard, at the size it is shown.",
       .keywords = "clipboard picture screenshot"},
      {.name = "job.cancel",
       .title = "Stop",
       .help = "Stops what moves, or cancels the work under way; what is shown stays.",
       .keywords = "cancel abort"},
  };
}

std::vector<Declaration> of_scripts() {
  return {
      {.name = "script.record",
       .title = "Record script",
       .help = "Begins to write down what is done, as a script.",
       .keywords = "macro",
       .recorded = false},
      {.name = "script.stop",
       .title = "Stop recording",
       .help = "Ends the recording; script.save writes it.",
       .keywords = "macro",
       .recorded = false},
      {.name = "script.save",
       .title = "Save recorded script...",
       .help = "Writes what was recorded, as a file that script.run and isolume --script run again.",
       .arguments = {path("path", "The file; without it, a dialog asks.").asked_for()},
       .keywords = "macro",
       .recorded = false},
      {.name = "script.run",
       .title = "Run script...",
       .help = "Runs a file of commands, one a line, each when the one before has ended; stops at the first "
               "error.",
       .arguments = {path("path", "The file; without it, a dialog asks.").asked_for()},
       .keywords = "macro replay play"},
  };
}

std::vector<Declaration> of_views() {
  return {
      {.name = "view.turn-left", .title = "Turn left", .help = "Turns the scene by 10 degrees."},
      {.name = "view.turn-right", .title = "Turn right", .help = "Turns the scene by 10 degrees."},
      {.name = "view.turn-up", .title = "Turn up", .help = "Turns the scene by 10 degrees."},
      {.name = "view.turn-down", .title = "Turn down", .help = "Turns the scene by 10 degrees."},
      {.name = "view.zoom-in", .title = "Zoom in", .help = "Enlarges the scene."},
      {.name = "view.zoom-out", .title = "Zoom out", .help = "Makes the scene smaller."},
      {.name = "view.reset",
       .title = "Reset view",
       .help = "Fits everything into the view.",
       .keywords = "fit home centre zoom camera"},
      {.name = "view.preset",
       .title = "View from",
       .help = "Looks at the scene from a side.",
       .arguments = {choice(
           "side", "Where the camera stands.",
           {"front", "back", "left", "right", "top", "bottom", "isometric", "widest", "tilted"})},
       .keywords = "camera side look"},
      {.name = "view.camera",
       .title = "Set camera",
       .help = "Puts the camera where a recorded script had it.",
       .arguments = {text("camera",
                          "Position, focal point and up in angstrom, and the scale where orthographic.")
                         .shown_as("PX,PY,PZ,FX,FY,FZ,UX,UY,UZ[,SCALE]")}},
      {.name = "view.projection",
       .title = "Projection",
       .help = "Orthographic keeps sizes, perspective shows depth.",
       .arguments = {choice("projection", "Which one.", {"orthographic", "perspective"})},
       .keywords = "camera parallel"},
      {.name = "view.interaction",
       .title = "Rotation mode",
       .help = "Trackball turns freely; turntable keeps the upright direction.",
       .arguments = {choice("mode", "Which one.", {"trackball", "turntable"})},
       .keywords = "rotate drag orbit mouse"},
      {.name = "view.theme",
       .title = "Theme",
       .help = "Dark or light colours, or as the desktop has them.",
       .arguments = {choice("theme", "Which one.", {"system", "light", "dark"})},
       .keywords = "colours appearance night mode settings"},
      {.name = "view.full-screen",
       .title = "Full screen",
       .help = "Fills the screen with the window, or ends that."},
      {.name = "view.panel",
       .title = "Show or hide panel",
       .help = "Shows a panel, or hides it, e.g. view.panel log.",
       .arguments = {text("name", "The panel's title.").repeatable()},
       .keywords = "dock"},
      {.name = "command.palette",
       .title = "Command palette...",
       .help = "Finds commands, parameters, samples, files and settings by typing.",
       .arguments = {text("text", "What is typed already.").repeatable().optional()},
       .recorded = false},
      {.name = "lab.show",
       .title = "Show lab",
       .help = "Goes to another lab; each keeps its documents and its panels.",
       .arguments = {text("lab", "Its name in commands, e.g. orbitals.")},
       .keywords = "switch"},
  };
}

std::vector<Declaration> of_devices_and_help() {
  return {
      {.name = "device.enable",
       .title = "Enable device",
       .help = "Lets jobs use a device again that was disabled; numbers as in the Devices panel.",
       .arguments = {integer("number", "The device's number.").range(0, 1e6).shown_as("N")},
       .keywords = "gpu cpu"},
      {.name = "device.disable",
       .title = "Disable device",
       .help = "Keeps a device out of all later jobs; numbers as in the Devices panel.",
       .arguments = {integer("number", "The device's number.").range(0, 1e6).shown_as("N")},
       .keywords = "gpu cpu set aside"},
      {.name = "devices.export-timeline",
       .title = "Export timeline...",
       .help = "Writes the last job's tiles as a table (.csv) or as a trace (.json).",
       .arguments = {path("path", "The file; without it, a dialog asks.").asked_for()}},
      {.name = "help.manual",
       .title = "Manual",
       .help = "Opens the manual, and looks up words in it.",
       .arguments = {text("words", "What to look for.").repeatable().optional()},
       .keywords = "help documentation guide",
       .recorded = false},
      {.name = "help.shortcuts",
       .title = "Keyboard shortcuts",
       .help = "Lists all keyboard shortcuts.",
       .keywords = "keys hotkeys keyboard",
       .recorded = false},
      {.name = "help.about",
       .title = "About Isolume",
       .help = "Version, licence and what it is built on.",
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

std::vector<Declaration> playback_declarations(const std::string& prefix) {
  const std::string keywords = "animation movie time";
  return {
      {.name = prefix + ".step",
       .title = "Step",
       .help = "Pauses and goes on by so many frames; back for a negative number.",
       .arguments = {integer("frames", "How many.").optional(std::int64_t{1})},
       .keywords = keywords},
      {.name = prefix + ".seek",
       .title = "Go to time",
       .help = "Pauses at a time, in the unit that the line below the view shows.",
       .arguments = {number("time", "In that unit.")},
       .keywords = keywords},
      {.name = prefix + ".speed",
       .title = "Playback speed",
       .help = "How many times faster than usual time runs: 0.5 is half as fast.",
       .arguments = {number("factor", "Above 0.")},
       .keywords = keywords},
      {.name = prefix + ".reverse",
       .title = "Play backwards",
       .help = "Turns the direction in which time runs.",
       .keywords = keywords},
      {.name = prefix + ".loop",
       .title = "Loop playback",
       .help = "Whether time begins again at its end, or stops there.",
       .keywords = keywords},
  };
}

}  // namespace isolume::workbench
