#include "core/commands/recorder.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/atomic_file.h"

namespace isolume::commands {

Recorder::Recorder(Registry& registry) : registry_(registry) {
  registry_.observe({.started = [this](const Run& run) { take(run); },
                     .failed =
                         [this](std::uint64_t id) {
                           std::erase_if(entries_, [id](const Entry& each) { return each.id == id; });
                         }});
}

Recorder::~Recorder() {
  registry_.observe({});
}

void Recorder::start() {
  entries_.clear();
  recording_ = true;
}

void Recorder::stop() {
  recording_ = false;
}

void Recorder::begin_gesture() {
  gesture_ = ++gestures_;
}

void Recorder::end_gesture() {
  gesture_ = 0;
}

void Recorder::take(const Run& run) {
  if (!recording_ || !run.declaration.recorded) return;
  Entry entry{run.id, line_of(run.declaration.name, run.words), {}};
  if (run.continues) {
    entry.movement = run.declaration.name;
  } else if (gesture_ != 0 && !run.words.empty()) {
    entry.movement =
        fmt::format("{} {}", gesture_, line_of(run.declaration.name, run.words.first(run.words.size() - 1)));
  }
  const bool same =
      !entries_.empty() && !entry.movement.empty() && entries_.back().movement == entry.movement;
  if (same) entries_.pop_back();
  entries_.push_back(std::move(entry));
}

std::vector<std::string> Recorder::lines() const {
  std::vector<std::string> all;
  for (const Entry& each : entries_) all.push_back(each.line);
  return all;
}

void Recorder::save(const std::filesystem::path& path) const {
  AtomicFile file(path);
  file.stream() << "# Recorded by Isolume; isolume --script FILE runs it again.\n";
  for (const Entry& each : entries_) file.stream() << each.line << '\n';
  file.commit();
}

}  // namespace isolume::commands
