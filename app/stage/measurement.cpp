#include "app/stage/measurement.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

#include "core/base/clock.h"

namespace isolume::stage {
namespace {

/// Start of this process in seconds since the start of the machine: the 22nd field of /proc/self/stat
/// (proc(5)).
double start_of_process() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  // The second field is the program's name, in parentheses, and may hold anything.
  std::istringstream rest(line.substr(std::min(line.rfind(')') + 1, line.size())));
  std::string field;
  for (int number = 3; number <= 22; ++number) rest >> field;
  return std::strtod(field.c_str(), nullptr) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

StartUp since_start_of_program() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const double seconds = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  return {seconds - start_of_process(), static_cast<double>(std::clock()) / CLOCKS_PER_SEC};
}

nlohmann::json Measurement::result() const {
  const double seconds = seconds_since(start_);
  nlohmann::json found = {
      {"seconds", seconds},
      {"steps_per_second", static_cast<double>(steps_) / seconds},
      {"pictures_per_second", static_cast<double>(pictures_.size()) / seconds},
      {"picture_ms", nullptr},
      {"processors", static_cast<double>(std::clock() - processor_start_) / CLOCKS_PER_SEC / seconds}};
  if (pictures_.empty()) return found;
  std::vector<double> sorted = pictures_;
  std::ranges::sort(sorted);
  found["picture_ms"] = {{"median", 1000 * sorted[sorted.size() / 2]}, {"longest", 1000 * sorted.back()}};
  return found;
}

}  // namespace isolume::stage
