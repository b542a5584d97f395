#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/commands/registry.h"

namespace isolume::commands {

/// Writes down the commands that are run, as a script. What a command runs itself is not written down, nor is
/// what has failed.
class Recorder {
 public:
  /// Observes the registry, which outlives it.
  explicit Recorder(Registry& registry);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Begins with an empty script.
  void start();
  void stop();
  bool recording() const { return recording_; }

  /// One movement of a hand: until its end, of commands in a row that differ in their last word only (a
  /// slider's value, a slice's position) the last one takes the place of those before.
  void begin_gesture();
  void end_gesture();

  /// The lines so far.
  std::vector<std::string> lines() const;
  bool empty() const { return entries_.empty(); }
  /// Throws Error where it cannot be written; nothing is left half written.
  void save(const std::filesystem::path& path) const;

 private:
  struct Entry {
    std::uint64_t id = 0;
    std::string line;
    std::string movement;  ///< the next entry of the same one takes its place; empty: of none
  };
  void take(const Run& run);

  Registry& registry_;
  std::vector<Entry> entries_;
  bool recording_ = false;
  int gesture_ = 0;  ///< 0: none
  int gestures_ = 0;
};

}  // namespace isolume::commands
