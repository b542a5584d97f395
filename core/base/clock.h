#pragma once

#include <chrono>

namespace isolume {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return 1e3 * seconds_since(start);
}

}  // namespace isolume
