#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace isolume::workbench {

class Lab;

/// A requested movie.
struct MovieRequest {
  enum class Over { time, turn, parameter };

  std::filesystem::path path;
  Over over = Over::time;
  std::string parameter;    ///< for Over::parameter
  double from = 0, to = 0;  ///< in the unit of the time or the parameter; degrees
  double seconds = 0;
  int frames_per_second = 30;
  int width = 1280, height = 720;  ///< in pixels

  int frames() const;
};

inline constexpr double sweep_seconds = 5;  ///< default duration of a parameter sweep

/// The request by words such as "from=0", "seconds=5", with defaults that suit the lab. Throws Error with the
/// possible words.
MovieRequest movie_request(Lab& lab, const std::filesystem::path& path, const std::string& over,
                           std::span<const std::string> settings);
/// The words of `file.export-movie` for this request.
std::vector<std::string> words_of(const MovieRequest& request);

/// Keys of the parameters that a movie can sweep: numbers that matter now and that the lab allows.
std::vector<std::string> sweepable_parameters(Lab& lab);

}  // namespace isolume::workbench
