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

/// Threads that live as long as this does and do what they are told together: one for each device of a simulation, whose
/// work must not wait for that of another to be queued. Told by one thread at a time.
class WorkerTeam {
 public:
  explicit WorkerTeam(std::size_t workers);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  std::size_t size() const { return threads_.size(); }
  /// Does work(0) to work(size() - 1) side by side, and returns when all have ended. Throws what one of them threw: of
  /// several, a device that is lost rather than another error, and any error rather than Cancelled.
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
  std::vector<std::thread> threads_;  ///< the last: they use all of the above
};

}  // namespace isolume::gpu
