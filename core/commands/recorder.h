#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/commands/registry.h"

namespace isolume::commands {

/// Records executed commands as a script. Commands that a command runs itself, and failed ones, are not
/// recorded.
class Recorder {
 public:
  /// Observes the registry, which must outlive it.
  explicit Recorder(Registry& registry);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Starts an empty script.
  void start();
  void stop();
  bool recording() const { return recording_; }

  /// Begins a gesture. Until it ends, a command replaces the previous one if the two differ in their last
  /// word only (a slider's value, a slice's position).
  void begin_gesture();
  void end_gesture();

  /// The lines recorded so far.
  std::vector<std::string> lines() const;
  bool empty() const { return entries_.empty(); }
  /// Throws Error if the file cannot be written; then no part of it remains.
  void save(const std::filesystem::path& path) const;

 private:
  struct Entry {
    std::uint64_t id = 0;
    std::string line;
    std::string movement;  ///< replaced by the next entry of the same movement; empty: none
  };
  void take(const Run& run);

  Registry& registry_;
  std::vector<Entry> entries_;
  bool recording_ = false;
  int gesture_ = 0;  ///< 0: none
  int gestures_ = 0;
};

}  // namespace isolume::commands
