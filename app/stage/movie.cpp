#include "app/stage/movie.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "app/pictures/movie_limits.h"
#include "app/pictures/movie_writer.h"
#include "core/base/error.h"

namespace isolume::stage {
namespace {

using pictures::MovieWriter;

constexpr std::size_t most_waiting = 3;  ///< pictures that are drawn and not encoded yet

/// Video encoders need even sides.
PixelSize even(PixelSize size) {
  return {size.width / 2 * 2, size.height / 2 * 2};
}

/// Flips the picture, top row first, and crops it to the size of the movie.
std::vector<std::uint8_t> turned_over(const std::vector<std::uint8_t>& rgb, PixelSize size) {
  const PixelSize movie = even(size);
  std::vector<std::uint8_t> turned;
  turned.reserve(std::size_t{3} * static_cast<std::size_t>(movie.width) *
                 static_cast<std::size_t>(movie.height));
  for (int y = size.height - 1; y >= size.height - movie.height; --y) {
    const auto row = rgb.begin() + std::ptrdiff_t{3} * y * size.width;
    turned.insert(turned.end(), row, row + std::ptrdiff_t{3} * movie.width);
  }
  return turned;
}

int frames_of(double seconds) {
  const double frames = std::round(seconds * Movie::frames_per_second);
  if (!(frames >= 1 && seconds <= pictures::longest_movie_seconds)) {
    throw Error(fmt::format("A movie of {} s cannot be recorded. Give a length of {:.2g} to {} s.", seconds,
                            1.0 / Movie::frames_per_second, pictures::longest_movie_seconds));
  }
  return static_cast<int>(frames);
}

}  // namespace

struct Movie::Feed {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::vector<std::uint8_t>> pictures;
  bool given_up = false;

  /// Waits for the next picture. Throws Cancelled.
  std::vector<std::uint8_t> next() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return given_up || !pictures.empty(); });
    if (given_up) throw Cancelled();
    std::vector<std::uint8_t> picture = std::move(pictures.front());
    pictures.pop_front();
    return picture;
  }
  std::size_t waiting() {
    const std::lock_guard guard(mutex);
    return pictures.size();
  }
  /// Changes the queue and wakes the waiting thread.
  template <class Change>
  void set(const Change& change) {
    {
      const std::lock_guard guard(mutex);
      change();
    }
    changed.notify_all();
  }
};

Movie::Movie(std::filesystem::path path, double seconds)
    : path_(std::move(path)), frames_(frames_of(seconds)), feed_(std::make_shared<Feed>()) {
  pictures::codec_of(path_);
}

Movie::~Movie() {
  feed_->set([&] { feed_->given_up = true; });
}

double Movie::advance() {
  if (due_ || taken_ == frames_ || feed_->waiting() >= most_waiting) return 0;
  due_ = true;
  return 1.0 / frames_per_second;
}

void Movie::begin(PixelSize size) {
  size_ = size;
  const auto [width, height] = even(size);
  auto writer =
      std::make_unique<MovieWriter>(path_, pictures::MovieOptions{width, height, frames_per_second});
  written_ =
      std::async(std::launch::async, [feed = feed_, frames = frames_, size, writer = std::move(writer)] {
        for (int i = 0; i < frames; ++i) writer->add(turned_over(feed->next(), size));
        writer->finish();
      });
}

void Movie::take(std::vector<std::uint8_t> rgb, PixelSize size) {
  if (!written_.valid()) begin(size);
  if (size.width != size_.width || size.height != size_.height) {
    throw Error(
        fmt::format("{}: the window was resized to {} × {} pixels; the movie began at {} × {}. Record it "
                    "again and do not resize the window meanwhile.",
                    path_.string(), size.width, size.height, size_.width, size_.height));
  }
  feed_->set([&] { feed_->pictures.push_back(std::move(rgb)); });
  ++taken_;
  due_ = false;
}

bool Movie::ended() {
  if (!written_.valid() || written_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return false;
  written_.get();
  return true;
}

nlohmann::json Movie::result() const {
  return {{"path", path_.string()},
          {"frames", frames_},
          {"seconds", static_cast<double>(frames_) / frames_per_second},
          {"width", even(size_).width},
          {"height", even(size_).height},
          {"codec", pictures::codec_of(path_)}};
}

}  // namespace isolume::stage
