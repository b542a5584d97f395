#include "core/commands/script.h"

#include <fstream>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/text_file.h"

namespace isolume::commands {
namespace {

constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;

struct Playing {
  std::vector<ScriptLine> lines;
  StartLine start;
  std::function<void(const std::string& error)> finished;
  std::size_t next = 0;
};

void go_on(const std::shared_ptr<Playing>& playing) {
  // Lines that end at once call back before `start` returns. A loop handles them, so that a long script needs
  // no deep stack.
  auto in_loop = std::make_shared<bool>(true);
  for (;;) {
    if (playing->next == playing->lines.size()) return playing->finished({});
    const ScriptLine& line = playing->lines[playing->next++];
    auto ended = std::make_shared<bool>(false);
    auto failed = std::make_shared<bool>(false);
    playing->start(line.command, [=](const jobs::Outcome& outcome) {
      *ended = true;
      if (!outcome.error.empty()) {
        *failed = true;
        const std::string& place = playing->lines[playing->next - 1].place;
        return playing->finished(place.empty() ? outcome.error : fmt::format("{}: {}", place, outcome.error));
      }
      if (!*in_loop) go_on(playing);
    });
    if (*failed) return;
    if (!*ended) {
      *in_loop = false;
      return;
    }
  }
}

}  // namespace

std::vector<ScriptLine> read_script(const std::filesystem::path& path) {
  std::ifstream stream = open_input(path);
  if (std::filesystem::file_size(path) > most_bytes)
    throw InputError(path, 0, "this is too large for a script");
  std::vector<ScriptLine> lines;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    if (number == 1) drop_byte_order_mark(line);
    if (line.find('\0') != std::string::npos)
      throw InputError(path, number, "this is not text", "Give a script.");
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    lines.push_back({fmt::format("{}:{}", path.string(), number), line.substr(first)});
  }
  return lines;
}

std::shared_ptr<void> RunningScripts::begin(const std::filesystem::path& script) const {
  constexpr std::size_t most = 50;
  const std::filesystem::path name = std::filesystem::weakly_canonical(script);
  if (running_->size() >= most)
    throw InputError(script, 0, fmt::format("{} scripts are being run within one another already", most),
                     "Let them call fewer others.");
  if (!running_->insert(name).second)
    throw InputError(script, 0, "the script would run itself", "Remove the line that runs it.");
  return {nullptr, [running = running_, name](void*) { running->erase(name); }};
}

void run_script(std::vector<ScriptLine> lines, StartLine start,
                std::function<void(const std::string& error)> finished) {
  go_on(std::make_shared<Playing>(Playing{std::move(lines), std::move(start), std::move(finished)}));
}

}  // namespace isolume::commands
