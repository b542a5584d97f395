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

/// Reads one command per line; empty lines and lines that begin with # are skipped. Throws InputError if the
/// file cannot be read or is not text.
std::vector<ScriptLine> read_script(const std::filesystem::path& path);

/// The scripts that are running, each started by a line of another one, so that none runs itself.
class RunningScripts {
 public:
  /// The script ends with the last copy of the returned pointer. Throws InputError if it is running already,
  /// and if too many are.
  [[nodiscard]] std::shared_ptr<void> begin(const std::filesystem::path& script) const;

 private:
  std::shared_ptr<std::set<std::filesystem::path>> running_ =
      std::make_shared<std::set<std::filesystem::path>>();
};

/// Starts a command line and calls back when all work that it started has ended.
using StartLine =
    std::function<void(const std::string& line, std::function<void(const jobs::Outcome&)> then)>;

/// Runs the lines one after the other, each when the previous one has ended, and stops at the first error:
/// `finished` receives it with the line's position ("views.txt:12: ..."), or an empty text. Returns while a
/// line is still running; the event loop continues meanwhile.
void run_script(std::vector<ScriptLine> lines, StartLine start,
                std::function<void(const std::string& error)> finished);

}  // namespace isolume::commands
