#include "app/labs/nbody/force_probe.h"

#include <algorithm>
#include <utility>

#include "app/labs/nbody/probe_readings.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/translated.h"

namespace isolume::labs::nbody {

void ForceProbe::ask(const ProbeRequest& wanted, const Engines& engines, bool time_runs) {
  if (wanted == asked_) return;
  constexpr double shortest_pause_ms = 300, pause_of_busy = 9;
  const double pause = std::max(shortest_pause_ms, pause_of_busy * busy_ms_);
  if (time_runs && (at_work_ || (ended_.isValid() && static_cast<double>(ended_.elapsed()) < pause))) return;
  asked_ = wanted;
  next_.reset();
  if (!wanted.body && !wanted.place) return Q_EMIT found(nullptr, nullptr);
  at_work_ ? void(next_ = Due{wanted, engines}) : begin({wanted, engines});
}

void ForceProbe::begin(Due due) {
  at_work_ = true;
  answered_ = false;
  begun_.start();
  // When nothing holds it any more, the job having run or having been cancelled before: what comes next waits for it.
  const std::shared_ptr<void> over(
      nullptr, [to_gui = context_.on_gui_thread, ended = workbench::guarded(this, [this] { end(); })](void*) {
        to_gui(ended);
      });
  // It follows what is shown; no command waits for it.
  const jobs::Activity::Scope for_nobody(nullptr);
  context_.jobs.submit(
      workbench::said(QObject::tr("Probe the force")), "nbody.force-probe",
      [this, due = std::move(due), over, to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
        const auto told = [&](const nlohmann::json& on_body, const nlohmann::json& at_place) {
          to_gui(workbench::guarded(this, [this, wanted = due.wanted, on_body, at_place] {
            answered_ = true;
            if (wanted == asked_) Q_EMIT found(on_body, at_place);
          }));
        };
        const auto& [frame, body, place, about] = due.wanted;
        nlohmann::json on_body, at_place;
        try {
          if (body) {
            on_body = force_on(*frame, *body, *due.engines, progress);
            on_body["step"] = frame->step;
            on_body["orbit"] = orbit_of(*frame, *body, about);
          }
          if (place) at_place = force_at(*frame, *place, *due.engines, progress);
        } catch (const Cancelled&) {
          throw;
        } catch (const std::exception&) {
          told(nullptr, nullptr);
          if (frame->readable()) throw;
          return;  // its device has lost it, and it is made again
        }
        told(on_body, at_place);
      },
      jobs::Waited::by_nobody);
}

void ForceProbe::end() {
  at_work_ = false;
  busy_ms_ = static_cast<double>(begun_.elapsed());
  ended_.start();
  if (!answered_) asked_ = {};  // so that it is taken up when it is asked for again
  if (auto due = std::exchange(next_, std::nullopt)) {
    asked_ = due->wanted;
    begin(std::move(*due));
  }
}

}  // namespace isolume::labs::nbody

#include "moc_force_probe.cpp"
