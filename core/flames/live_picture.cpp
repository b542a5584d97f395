#include "core/flames/live_picture.h"

#include <utility>

namespace isolume::flames {

void LivePicture::request(std::shared_ptr<const Renderer::Engines> engines, RenderRequest wanted) {
  if (newest_ && newest_->has_picture) jobs_.cancel(newest_->job);
  const auto request = newest_ = std::make_shared<Request>();
  request->job = jobs_.submit(
      name_, "flames.picture",
      [this, request, engines = std::move(engines), wanted = std::move(wanted), renderer = renderer_,
       post = post_](const jobs::Progress& progress) {
        try {
          renderer->render(
              *engines, wanted,
              [&](Rendered&& rendered) {
                post([this, request, picture = std::make_shared<const Rendered>(std::move(rendered))] {
                  show_(picture);
                  first_is_over(request);
                });
              },
              progress);
        } catch (...) {
          post([this, request] { first_is_over(request); });
          throw;
        }
      },
      jobs::Waited::by_a_person, jobs::Replaced::before_it_begins);
}

void LivePicture::first_is_over(const std::shared_ptr<Request>& request) {
  request->has_picture = true;
  if (request != newest_) jobs_.cancel(request->job);
}

}  // namespace isolume::flames
