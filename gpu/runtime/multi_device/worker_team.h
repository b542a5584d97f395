#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace isolume::gpu {

/// Threads for joint tasks: one for each device of a simulation, so that queueing work on one does not wait
/// for another. Controlled by one thread at a time.
class WorkerTeam {
 public:
  explicit WorkerTeam(std::size_t workers);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  std::size_t size() const { return threads_.size(); }
  /// Runs work(0) to work(size() - 1) concurrently, and returns when all have ended. Rethrows one exception:
  /// a lost device takes precedence over another error, and any error over Cancelled.
  void together(const std::function<void(std::size_t worker)>& work);

 private:
  void live(std::size_t worker);

  std::mutex mutex_;
  std::condition_variable told_, ended_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::uint64_t turn_ = 0;
  std::size_t busy_ = 0;
  bool over_ = false;
  std::vector<std::exception_ptr> thrown_;
  std::vector<std::thread> threads_;  ///< last, since they use all members above
};

}  // namespace isolume::gpu
