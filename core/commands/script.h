#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/jobs/activity.h"

namespace isolume::commands {

struct ScriptLine {
  std::string place;  ///< where it stands, for errors: "views.txt:12"; empty where it stands nowhere
  std::string command;
};

/// A command a line; empty lines and lines that begin with # are passed over. Throws InputError where the
/// file cannot be read or is no text.
std::vector<ScriptLine> read_script(const std::filesystem::path& path);

/// The scripts that are being run, each from a line of another one, so that none runs itself.
class RunningScripts {
 public:
  /// The script ends with the last copy of what is returned. Throws InputError where it is being run already, and where too
  /// many are.
  [[nodiscard]] std::shared_ptr<void> begin(const std::filesystem::path& script) const;

 private:
  std::shared_ptr<std::set<std::filesystem::path>> running_ =
      std::make_shared<std::set<std::filesystem::path>>();
};

/// Starts a command line and calls back when all that it started has ended.
using StartLine =
    std::function<void(const std::string& line, std::function<void(const jobs::Outcome&)> then)>;

/// Runs the lines one after the other, each when the one before has ended, and stops at the first error:
/// `finished` gets it with the line's place before it ("views.txt:12: ..."), or an empty text. What comes
/// between is the event loop's: this returns when a line goes on.
void run_script(std::vector<ScriptLine> lines, StartLine start,
                std::function<void(const std::string& error)> finished);

}  // namespace isolume::commands
