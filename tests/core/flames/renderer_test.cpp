// Progressive pictures: what is published, when points are kept, and that the newest request wins.
#include "core/flames/renderer.h"

#include <condition_variable>
#include <deque>
#include <mutex>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/flames/evolve.h"
#include "core/flames/live_picture.h"

namespace isolume::flames {
namespace {

Renderer::Engines cpu() {
  Renderer::Engines engines;
  engines.add(make_cpu_engine());
  return engines;
}
RenderRequest request_of(std::uint64_t seed, double quality) {
  const Flame flame = random_flame(seed, 200, 120);
  return {.flame = flame, .view = flame.view, .quality = quality};
}

TEST(Renderer, PublishesCoarseToFineAndEndsWithTheWholePicture) {
  const auto request = request_of(20, 300);
  std::vector<Rendered> published;
  Renderer().render(cpu(), request, [&](Rendered&& each) { published.push_back(std::move(each)); });
  ASSERT_GE(published.size(), 3U);
  EXPECT_EQ(published.front().points, 4 * points_per_cloud);
  for (std::size_t i = 1; i < published.size(); ++i) EXPECT_GT(published[i].points, published[i - 1].points);
  for (std::size_t i = 0; i < published.size(); ++i)
    EXPECT_EQ(published[i].finished, i + 1 == published.size());
  EXPECT_GE(published.back().points_per_pixel, 300);
  EXPECT_EQ(published.back().picture.rgba, render(cpu(), request).picture.rgba)
      << "the same points in one part";
}

TEST(Renderer, KeepsItsPointsForAnotherToneAndForMore) {
  auto request = request_of(20, 100);
  Renderer renderer;
  std::vector<Rendered> published;
  const auto publish = [&](Rendered&& each) { published.push_back(std::move(each)); };
  renderer.render(cpu(), request, publish);
  const auto points = published.back().points;
  published.clear();
  request.flame.tone.gamma = 2;
  renderer.render(cpu(), request, publish);
  ASSERT_EQ(published.size(), 1U) << "at once";
  EXPECT_EQ(published[0].points, points);
  EXPECT_EQ(published[0].picture.rgba, render(cpu(), request).picture.rgba);
  published.clear();
  request.quality = 200;
  renderer.render(cpu(), request, publish);
  EXPECT_EQ(published.front().points, points);
  EXPECT_EQ(published.back().picture.rgba, render(cpu(), request).picture.rgba);
  published.clear();
  request.flame.functions[0].affine.a += 0.1;
  renderer.render(cpu(), request, publish);
  EXPECT_LT(published.front().points, points) << "another flame begins anew";
  EXPECT_EQ(published.back().picture.rgba, render(cpu(), request).picture.rgba);
}

TEST(Renderer, AfterACancellationTheNextPictureIsWhole) {
  const auto request = request_of(20, 200);
  Renderer renderer;
  std::stop_source stop;
  EXPECT_THROW(
      renderer.render(
          cpu(), request, [&](Rendered&&) { stop.request_stop(); }, jobs::Progress(stop.get_token(), {})),
      Cancelled);
  Rendered last;
  renderer.render(cpu(), request, [&](Rendered&& each) { last = std::move(each); });
  EXPECT_EQ(last.picture.rgba, render(cpu(), request).picture.rgba);
}

/// A thread's queue, as a window has one.
class Queue {
 public:
  void post(std::function<void()> action) {
    const std::scoped_lock lock(mutex_);
    actions_.push_back(std::move(action));
    posted_.notify_one();
  }
  /// Runs actions until `done`.
  void run_until(const std::function<bool()>& done) {
    while (!done()) {
      std::unique_lock lock(mutex_);
      ASSERT_TRUE(posted_.wait_for(lock, std::chrono::seconds(60), [&] { return !actions_.empty(); }));
      const auto action = std::move(actions_.front());
      actions_.pop_front();
      lock.unlock();
      action();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::function<void()>> actions_;
};

TEST(LivePicture, ShowsFirstPicturesOfFastRequestsAndFinishesTheNewest) {
  jobs::JobRunner jobs;
  Queue queue;
  int shown = 0;
  std::shared_ptr<const Rendered> last;
  LivePicture picture(
      jobs, [&](auto action) { queue.post(std::move(action)); },
      [&](auto rendered) {
        ++shown;
        last = rendered;
      },
      "Flame");
  const auto engines = std::make_shared<const Renderer::Engines>(cpu());
  RenderRequest request = request_of(20, 1e5);  // far more than there is time for
  for (int i = 0; i < 20; ++i) {
    request.flame.functions[0].affine.a += 0.01;
    const int before = shown;
    for (int k = 0; k < 3; ++k) picture.request(engines, request);  // faster than pictures
    queue.run_until([&] { return shown > before; });
  }
  request.quality = 5;
  picture.request(engines, request);
  queue.run_until([&] { return last != nullptr && last->finished; });
  jobs.wait_idle();
  EXPECT_EQ(last->picture.rgba, render(cpu(), request).picture.rgba);
  EXPECT_GE(shown, 20);
}

TEST(LivePicture, AFailureDoesNotStopIt) {
  jobs::JobRunner jobs;
  Queue queue;
  bool finished = false;
  LivePicture picture(
      jobs, [&](auto action) { queue.post(std::move(action)); },
      [&](auto rendered) { finished = rendered->finished; }, "Flame");
  const auto engines = std::make_shared<const Renderer::Engines>(cpu());
  RenderRequest impossible = request_of(20, 1);
  impossible.compute.engine = "none";
  picture.request(engines, impossible);
  queue.run_until([&] { return !picture.awaiting(); });
  picture.request(engines, request_of(20, 1));
  queue.run_until([&] { return finished; });
  jobs.wait_idle();
}

}  // namespace
}  // namespace isolume::flames
