#pragma once

#include <span>
#include <string>

namespace isolume::stage {

/// A key, as GLFW numbers it, and the command that it runs.
struct Key {
  int code;
  const char* shown;    ///< "Space"
  const char* command;  ///< a command line
  const char* help;     ///< for the overlay
};
/// All but 1 to 9, which choose scenes, and those that are held.
std::span<const Key> keys();

/// Keys, mouse movements and the gamepad that move the camera while they are held; for the overlay: who, and what.
struct Held {
  const char* shown;
  const char* help;
};
std::span<const Held> held();

}  // namespace isolume::stage
