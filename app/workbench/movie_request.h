#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace isolume::workbench {

class Lab;

/// A movie that a person asks for.
struct MovieRequest {
  enum class Over { time, turn, parameter };

  std::filesystem::path path;
  Over over = Over::time;
  std::string parameter;    ///< of Over::parameter
  double from = 0, to = 0;  ///< in the unit of the time or the parameter; degrees
  double seconds = 0;
  int frames_per_second = 30;
  int width = 1280, height = 720;  ///< pixels

  int frames() const;
};

inline constexpr double sweep_seconds = 5;  ///< that a parameter takes where nothing else is said

/// What the words "from=0", "seconds=5" ... ask of the lab; what they leave open is chosen to suit it. Throws Error that says
/// what there is.
MovieRequest movie_request(Lab& lab, const std::filesystem::path& path, const std::string& over,
                           std::span<const std::string> settings);
/// The words of `file.export-movie` that ask for it.
std::vector<std::string> words_of(const MovieRequest& request);

/// Of the parameters, those that a movie can run through: numbers that matter now and that the lab lets it, by their keys.
std::vector<std::string> sweepable_parameters(Lab& lab);

}  // namespace isolume::workbench
