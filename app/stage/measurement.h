#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <vector>

#include <nlohmann/json.hpp>

namespace isolume::stage {

/// How long something took since the program was started.
struct StartUp {
  double seconds = 0;            ///< by the clock on the wall
  double processor_seconds = 0;  ///< of all threads
};
/// Until now. To a hundredth of a second; loading the program counts.
StartUp since_start_of_program();

/// How fast steps and pictures come, by the clock on the wall, from when it is made.
class Measurement {
 public:
  void add_steps(std::int64_t steps) { steps_ += steps; }
  /// That took so long to draw.
  void add_picture(double seconds) { pictures_.push_back(seconds); }
  /// seconds, steps_per_second, pictures_per_second, picture_ms (median and longest; null without a picture), and
  /// processors: how many of them this program kept busy.
  nlohmann::json result() const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t processor_start_ = std::clock();
  std::int64_t steps_ = 0;
  std::vector<double> pictures_;  ///< seconds
};

}  // namespace isolume::stage
