#include "core/flames/live_picture.h"

#include <utility>

namespace isolume::flames {

void LivePicture::request(std::shared_ptr<const Renderer::Engines> engines, RenderRequest wanted) {
  engines_ = std::move(engines);
  if (std::exchange(awaiting_, true)) {
    next_ = std::move(wanted);
    return;
  }
  jobs_.submit(name_, "flames.picture",
               [this, number = ++number_, wanted = std::move(wanted), engines = engines_,
                renderer = renderer_, post = post_](const jobs::Progress& progress) {
                 const auto over = [this, number] { first_is_over(number); };
                 try {
                   renderer->render(
                       *engines, wanted,
                       [&](Rendered&& rendered) {
                         post([this, over, picture = std::make_shared<const Rendered>(std::move(rendered))] {
                           show_(picture);
                           over();
                         });
                       },
                       progress);
                 } catch (...) {
                   post(over);
                   throw;
                 }
               });
}

void LivePicture::first_is_over(int number) {
  if (number != number_) return;
  awaiting_ = false;
  if (next_) request(engines_, *std::exchange(next_, std::nullopt));
}

}  // namespace isolume::flames
