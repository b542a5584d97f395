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
/// All keys except the digits, which choose scenes, and those that are held.
std::span<const Key> keys();

/// Input that moves the camera while it is held, for the overlay: keys, mouse or gamepad, and their effect.
struct Held {
  const char* shown;
  const char* help;
};
std::span<const Held> held();

}  // namespace isolume::stage
