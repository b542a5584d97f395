#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <vector>

#include <nlohmann/json.hpp>

namespace isolume::stage {

/// Time since the start of the program.
struct StartUp {
  double seconds = 0;            ///< wall-clock time
  double processor_seconds = 0;  ///< of all threads
};
/// Time until now, to a hundredth of a second; it includes loading the program.
StartUp since_start_of_program();

/// Measures steps and pictures per second of wall-clock time since its construction.
class Measurement {
 public:
  void add_steps(std::int64_t steps) { steps_ += steps; }
  /// Adds a picture that took this long to draw.
  void add_picture(double seconds) { pictures_.push_back(seconds); }
  /// seconds, steps_per_second, pictures_per_second, picture_ms (median and longest; null without a picture),
  /// and processors (mean number that this program kept busy).
  nlohmann::json result() const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t processor_start_ = std::clock();
  std::int64_t steps_ = 0;
  std::vector<double> pictures_;  ///< seconds
};

}  // namespace isolume::stage
