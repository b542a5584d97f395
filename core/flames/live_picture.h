#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/flames/renderer.h"
#include "core/jobs/job_runner.h"

namespace isolume::flames {

/// A picture that follows its requests: the newest one counts, its first coarse picture comes at once, and better ones
/// follow until it is finished. While requests come faster than first pictures can be drawn (a hand drags), each first
/// picture is still shown, and the newest request comes next: otherwise none would ever be ready. Used on one thread.
class LivePicture {
 public:
  using Show = std::function<void(std::shared_ptr<const Rendered> rendered)>;
  /// `post` runs an action on the thread that uses this object, if the object still exists; jobs call it.
  /// `show` is called there. `name`: of the jobs, for people; they share a channel.
  LivePicture(jobs::JobRunner& jobs, std::function<void(std::function<void()>)> post, Show show,
              std::string name)
      : jobs_(jobs), post_(std::move(post)), show_(std::move(show)), name_(std::move(name)) {}

  void request(std::shared_ptr<const Renderer::Engines> engines, RenderRequest wanted);
  /// Whether the newest request has no picture yet.
  bool awaiting() const { return newest_ && !newest_->has_picture; }

 private:
  struct Request {
    std::uint64_t job = 0;
    bool has_picture = false;  ///< or has failed
  };
  void first_is_over(const std::shared_ptr<Request>& request);

  jobs::JobRunner& jobs_;
  std::function<void(std::function<void()>)> post_;
  Show show_;
  std::string name_;
  std::shared_ptr<Renderer> renderer_ = std::make_shared<Renderer>();
  std::shared_ptr<Request> newest_;
};

}  // namespace isolume::flames
