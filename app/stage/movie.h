#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/stage/window.h"

namespace isolume::stage {

/// Records a movie of the stage. Meanwhile time advances one frame whenever a picture has been taken, so that
/// motion is even however long steps and pictures take. Another thread encodes. For use by the thread that
/// draws.
class Movie {
 public:
  static constexpr int frames_per_second = 30;

  /// The first picture sets the size. Throws Error if the name or the length in seconds is not possible.
  Movie(std::filesystem::path path, double seconds);
  /// Cancels the movie and leaves no file behind, unless it has ended.
  ~Movie();
  Movie(const Movie&) = delete;
  Movie& operator=(const Movie&) = delete;

  /// Time by which the scene must advance now, in seconds: that of one frame, or 0.
  double advance();
  /// Whether the picture of the current time is still to be taken.
  bool wants_picture() const { return due_; }
  /// Takes that picture: red, green, blue, the bottom row first. Throws Error if it cannot be written, or
  /// differs in size from the first one.
  void take(std::vector<std::uint8_t> rgb, PixelSize size);
  /// Whether the movie has been written. Throws Error if writing failed.
  bool ended();
  /// Recorded fraction of the movie.
  double part() const { return static_cast<double>(taken_) / frames_; }
  /// path, frames, seconds, width, height, codec.
  nlohmann::json result() const;

 private:
  struct Feed;
  void begin(PixelSize size);

  std::filesystem::path path_;
  int frames_, taken_ = 0;
  bool due_ = true;
  PixelSize size_;              ///< of the pictures
  std::shared_ptr<Feed> feed_;  ///< queue of the encoding thread
  std::future<void> written_;
};

}  // namespace isolume::stage
