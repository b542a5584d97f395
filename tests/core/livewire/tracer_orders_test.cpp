#include <functional>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/core/livewire/traced_by_hand.h"

namespace isolume::livewire {
namespace {

using State = Tracer::State;
using Eigen::Vector2d;

/// Answers in the worst ways: late, twice, from the back, for what is not wanted any more, with nonsense.
struct Answers {
  std::vector<WireRequest> all;

  void newest(Tracer& tracer) { give(tracer, all.size() - 1); }
  void oldest(Tracer& tracer) { give(tracer, 0); }
  void twice(Tracer& tracer) {
    const WireRequest last = all.back();
    for (int i = 0; i < 2; ++i) tracer.wire_found(last.serial, straight_wire(last.from, last.to));
  }
  void nonsense(Tracer& tracer) {
    const auto serial = all.back().serial;
    tracer.wire_found(0, {{1, 1}, {2, 2}});
    tracer.wire_found(serial + 1000, {{1, 1}, {2, 2}});
    tracer.wire_found(serial, {});
  }

 private:
  void give(Tracer& tracer, std::size_t at) {
    const WireRequest request = all[at];
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
    tracer.wire_found(request.serial, straight_wire(request.from, request.to));
  }
};

struct Traced {
  Answers answers;
  Tracer tracer;
  double time = 0;
  Traced()
      : tracer({.closing_radius_px = 3, .cooling_seconds = 0.1, .cooling_least_px = 4},
               [this](const WireRequest& request) { answers.all.push_back(request); }) {
    tracer.set_slice({2, 0}, 60, 40, features());
  }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

  static std::shared_ptr<const Features> features() {
    static const auto made = [] {
      auto flat = flat_features(60, 40);
      for (std::size_t x = 0; x < 60; ++x) flat->gradient[20 * 60 + x] = 5;  // an edge along y = 20
      return flat;
    }();
    return made;
  }
};

using Event = std::pair<std::string, std::function<void(Traced&)>>;

Event at(const std::string& name, double x, double y, void (Tracer::*event)(const Vector2d&, double)) {
  return {name, [x, y, event](Traced& run) { (run.tracer.*event)({x, y}, run.time += 0.05); }};
}

/// Those that change most come first: the exhaustive search takes only them.
const std::vector<Event>& events() {
  static const std::vector<Event> all{
      at("press A", 5, 5, &Tracer::pressed),
      at("press B", 30, 22, &Tracer::pressed),
      at("press C", 45, 35, &Tracer::pressed),
      at("release B", 30, 22, &Tracer::released),
      at("double click A", 5, 5, &Tracer::double_clicked),
      at("move C", 45, 35, &Tracer::pointer_moved),
      {"freehand", [](Traced& run) { run.tracer.hold_freehand(true); }},
      {"no freehand", [](Traced& run) { run.tracer.hold_freehand(false); }},
      {"undo", [](Traced& run) { run.tracer.undo_seed(); }},
      {"escape", [](Traced& run) { run.tracer.escape(); }},
      {"restore", [](Traced& run) { run.tracer.restore(); }},
      {"close", [](Traced& run) { run.tracer.close(); }},
      {"finish open", [](Traced& run) { run.tracer.finish_open(); }},
      {"newest answer",
       [](Traced& run) {
         if (!run.answers.all.empty()) run.answers.newest(run.tracer);
       }},
      // From here on for the random search only.
      at("double click B", 30, 22, &Tracer::double_clicked),
      at("release A", 5, 5, &Tracer::released),
      at("move A", 5, 6, &Tracer::pointer_moved),
      at("move B", 31, 22, &Tracer::pointer_moved),
      at("move outside", 1e6, -3, &Tracer::pointer_moved),
      at("press outside", -9, 90, &Tracer::pressed),
      {"no snap", [](Traced& run) { run.tracer.hold_no_snap(true); }},
      {"snap", [](Traced& run) { run.tracer.hold_no_snap(false); }},
      {"tick", [](Traced& run) { run.tracer.tick(run.time += 0.2); }},
      {"tick in the past", [](Traced& run) { run.tracer.tick(run.time - 1); }},
      {"oldest answer",
       [](Traced& run) {
         if (!run.answers.all.empty()) run.answers.oldest(run.tracer);
       }},
      {"answered twice",
       [](Traced& run) {
         if (!run.answers.all.empty()) run.answers.twice(run.tracer);
       }},
      {"nonsense",
       [](Traced& run) {
         if (!run.answers.all.empty()) run.answers.nonsense(run.tracer);
       }},
      {"costs", [](Traced& run) { run.tracer.costs_changed(Traced::features()); }},
      {"slice",
       [](Traced& run) {
         run.tracer.set_slice({2, 1}, 60, 40, Traced::features());
       }},
      {"take", [](Traced& run) { run.tracer.take_finished(); }},
  };
  return all;
}
constexpr std::size_t events_of_exhaustive_search = 14;

bool joined(const std::vector<Vector2d>& seeds, const std::vector<contours::Piece>& pieces) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto& points = pieces[i].points;
    if (points.size() < 2 || points.front() != seeds[i] || points.back() != seeds[(i + 1) % seeds.size()])
      return false;
  }
  return true;
}

/// What is wrong with the draft as it stands; empty: nothing.
std::string fault(const Tracer& tracer) {
  const auto& draft = tracer.draft();
  const State state = tracer.state();
  const std::size_t seeds = draft.seeds.size(), pieces = draft.pieces.size();
  if ((state == State::idle) != (seeds == 0)) return "idle and seeds do not go together";
  const bool closed = state == State::finished && pieces == seeds;
  if (seeds > 0 && pieces + 1 != seeds && !closed) return "pieces are not seeds - 1";
  if (!joined(draft.seeds, draft.pieces)) return "a piece does not join its seeds";
  if (tracer.missing() > pieces) return "more pieces missing than there are";
  for (std::size_t i = 0; i + 1 < seeds; ++i) {
    if (draft.seeds[i] == draft.seeds[i + 1] && draft.pieces[i].kind != contours::PieceKind::freehand)
      return "the same seed twice";
  }
  for (const auto& seed : draft.seeds) {
    if (seed.x() < 0 || seed.y() < 0 || seed.x() > 59 || seed.y() > 39 ||
        seed != seed.array().round().matrix())
      return "a seed is no pixel";
  }
  const bool live_allowed = state == State::tracing || state == State::freehand;
  if (!draft.live.empty() && (!live_allowed || draft.live.front() != draft.seeds.back()))
    return "the live wire does not start at the last seed";
  if (draft.cooling_fraction < 0 || draft.cooling_fraction > 1 || !(draft.length_px >= 0))
    return "a number is off";
  if (draft.would_close && !live_allowed) return "would close what is not traced";
  return {};
}

/// As `fault`, and tries the ways out; uses the tracer up.
std::string fault_at_the_end(Traced& run) {
  Tracer& tracer = run.tracer;
  if (tracer.state() == State::finished) {
    tracer.costs_changed(Traced::features());  // asks anew for what never came
    while (!run.answers.all.empty()) run.answers.newest(tracer);
    const auto contour = tracer.take_finished();
    if (!contour) return "a finished contour cannot be had";
    if (contour->seeds.empty() || contour->pieces.size() + (contour->closed ? 0 : 1) != contour->seeds.size())
      return "the contour has a piece too many or too few";
    if (!joined(contour->seeds, contour->pieces)) return "the contour has a gap";
    if (contour->outline().size() < 2) return "the contour is a point";
    if (tracer.state() != State::idle) return "not idle after a contour was taken";
  }
  return {};
}

std::string fault_of_escape(Traced& run) {
  run.tracer.escape();
  if (run.tracer.state() != State::idle) return "escape does not lead to idle";
  run.tracer.hold_freehand(false);
  run.tracer.pressed({20, 30}, run.time);
  if (run.tracer.state() != State::tracing || run.tracer.draft().seeds.size() != 1)
    return "a press after escape does not begin anew";
  return {};
}

std::string fault_of_undo(Traced& run) {
  for (std::size_t left = run.tracer.draft().seeds.size() + 1; left > 0; --left) run.tracer.undo_seed();
  return run.tracer.state() == State::idle ? "" : "undoing every seed does not lead to idle";
}

std::string described(const std::vector<std::size_t>& order) {
  std::string text;
  for (const std::size_t event : order) text += (text.empty() ? "" : ", ") + events()[event].first;
  return text;
}

/// Plays the order; the first fault with what led to it.
std::string played(const std::vector<std::size_t>& order, std::string (*ending)(Traced&)) {
  Traced run;
  for (const std::size_t event : order) {
    events()[event].second(run);
    if (const auto wrong = fault(run.tracer); !wrong.empty()) return wrong;
  }
  return ending(run);
}

std::size_t faults_among(std::size_t length) {
  std::vector<std::size_t> order(length, 0);
  const auto next = [&] {
    for (std::size_t& event : order) {
      if (++event < events_of_exhaustive_search) return true;
      event = 0;
    }
    return false;
  };
  std::size_t faults = 0;
  do {
    for (const auto ending : {fault_at_the_end, fault_of_escape, fault_of_undo}) {
      const auto wrong = played(order, ending);
      if (!wrong.empty() && ++faults < 5) ADD_FAILURE() << wrong << " after: " << described(order);
    }
  } while (next());
  return faults;
}

TEST(TracerOrders, EveryOrderOfFiveEvents) {
  EXPECT_EQ(faults_among(5), 0);
}

TEST(TracerOrders, RandomLongOrders) {
  std::mt19937 random(4);
  std::size_t faults = 0, finished = 0, cooled = 0;
  for (int run = 0; run < 100'000 && faults < 5; ++run) {
    std::vector<std::size_t> order(10 + random() % 50);
    for (auto& event : order) event = random() % events().size();
    const auto ending = std::array{fault_at_the_end, fault_of_escape, fault_of_undo}[random() % 3];
    const auto wrong = played(order, ending);
    if (!wrong.empty()) ++faults, ADD_FAILURE() << wrong << " after: " << described(order);
    if (run % 20 != 0) continue;
    // That the search gets anywhere: contours are finished and wires freeze in it.
    Traced again;
    for (const std::size_t event : order) {
      const std::size_t before = again.tracer.draft().seeds.size();
      events()[event].second(again);
      finished += again.tracer.state() == State::finished;
      cooled += events()[event].first == "tick" && again.tracer.draft().seeds.size() > before;
    }
  }
  EXPECT_GT(finished, 100);
  EXPECT_GT(cooled, 10);
}

}  // namespace
}  // namespace isolume::livewire
