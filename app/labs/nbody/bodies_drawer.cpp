#include "app/labs/nbody/bodies_drawer.h"

#include <QObject>
#include <new>
#include <utility>

#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/base/error_text.h"

namespace isolume::labs::nbody {

BodiesDrawer::BodiesDrawer(Taker take, const Complainer& complain, Loser lost)
    : take_(std::move(take)), lost_(std::move(lost)) {
  jobs_.observe([complain](const jobs::JobStatus& job) {
    if (job.state == jobs::JobState::failed) complain(job.error);
  });
}

void BodiesDrawer::ask(DrawingRequest request, jobs::Activity::Pointer awaited_by) {
  const jobs::Activity::Scope scope(jobs::Activity::joined(jobs::Activity::current(), std::move(awaited_by)));
  jobs_.submit(
      "Drawing", "drawing", [this, request = std::move(request)](const auto&) { draw(request); },
      jobs::Waited::by_a_person, jobs::Replaced::before_it_begins);
}

void BodiesDrawer::draw(const DrawingRequest& wanted) {
  const auto activity = jobs::Activity::joined(std::exchange(left_, nullptr), jobs::Activity::current());
  const jobs::Activity::Scope scope(activity);
  const auto failed = [&](const std::string& error) {
    if (activity) activity->fail(error);
    return Error(error);
  };
  BodiesRequest request = wanted;
  if (!wanted.extent && wanted.subject == subject_) request.extent = extent_;
  request.steady = steady_;
  subject_ = wanted.subject;
  extent_ = request.extent;
  try {
    const BodiesDrawing drawing = draw_bodies(request);
    extent_ = drawing.extent;
    steady_ = drawing.steady;
    take_(wanted, drawing);
  } catch (const std::bad_alloc&) {
    throw failed(workbench::said(
        QObject::tr("Memory ran out while drawing the bodies. Close other programs or show fewer bodies.")));
  } catch (const std::exception& error) {
    if (wanted.frame->readable()) throw failed(error_text(error));
    left_ = activity;  // the frame is made again: who waits for it waits for that one
    lost_();
  }
}

}  // namespace isolume::labs::nbody
