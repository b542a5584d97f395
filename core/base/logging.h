#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace isolume::log {

enum class Level { debug, info, warning, error };

struct Entry {
  Level level;
  std::string text;
};

/// Writes one line to the log (stderr, and all listeners). Callable from every thread.
void write(Level level, std::string_view text);

/// Lines below `level` are dropped. Default: info; the environment variable ISOLUME_LOG (debug, info,
/// warning, error) overrides.
void set_level(Level level);

/// Calls `listener` for each line from now on, on the thread that wrote it. Returns a token for `unlisten`.
int listen(std::function<void(const Entry&)> listener);
void unlisten(int token);

template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::debug, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warning(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::warning, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::error, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace isolume::log
