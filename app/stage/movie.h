#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/stage/window.h"

namespace isolume::stage {

/// A movie of what is shown. While it is made, time goes by a frame at a time, each when the picture of the one before
/// has been taken: it moves evenly, however long steps and pictures take. It is encoded by a thread of its own. For the
/// thread that draws.
class Movie {
 public:
  static constexpr int frames_per_second = 30;

  /// Its pictures are as large as the first one that is taken. Throws Error where the name, or the length in seconds,
  /// makes no movie.
  Movie(std::filesystem::path path, double seconds);
  /// Gives it up, and leaves nothing behind, unless it has ended.
  ~Movie();
  Movie(const Movie&) = delete;
  Movie& operator=(const Movie&) = delete;

  /// The time that goes by now, in seconds: a frame's, or none.
  double advance();
  /// Whether the next picture is to be of the moment that it is now.
  bool wants_picture() const { return due_; }
  /// That picture: red, green, blue, the bottom row first. Throws Error where it cannot be written there, or is not as
  /// large as the first one.
  void take(std::vector<std::uint8_t> rgb, PixelSize size);
  /// Whether it has been written. Throws Error where that went wrong.
  bool ended();
  /// How much of it there is.
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
  std::shared_ptr<Feed> feed_;  ///< of the thread that encodes
  std::future<void> written_;
};

}  // namespace isolume::stage
