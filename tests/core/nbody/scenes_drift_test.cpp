#include <algorithm>
#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "core/nbody/runs/nbody_simulation.h"
#include "core/nbody/scenes/scenes.h"

namespace isolume::nbody {
namespace {

constexpr double shown_steps_a_second = 30;  ///< by the window

SceneOptions scene(SceneKind kind, std::int64_t bodies = 300) {
  SceneOptions options;
  options.scene = kind;
  options.bodies = bodies;
  options.particles_per_side = 8;
  return options;
}

/// Most that the energy is off, relative to that at the start.
double drift(const SceneOptions& options, std::int64_t steps, std::int64_t every) {
  InitialConditions start = make_scene(options);
  RunOptions run = suited_to(start, {}, {});
  NBodySimulation simulation(std::move(start), run);
  const Diagnostics first = *simulation.frame(frame_totals)->diagnostics;
  double most = 0;
  for (std::int64_t step = 0; step < steps; step += every) {
    simulation.advance(every);
    most = std::max(most, std::abs(energy_error(*simulation.frame(frame_totals)->diagnostics, first)));
  }
  return most;
}

/// With the steps and the softening that they bring with them, for five minutes of a visitor, or where bodies are many, for less.
constexpr auto five_minutes = static_cast<std::int64_t>(300 * shown_steps_a_second);

void expect_held(std::initializer_list<SceneKind> kinds) {
  for (const SceneKind kind : kinds) {
    for (const auto& [bodies, steps] :
         {std::pair{40, five_minutes}, {400, five_minutes / 6}, {3000, std::int64_t{120}}}) {
      SCOPED_TRACE(::testing::Message() << flags_of(scene(kind, bodies)));
      EXPECT_LT(drift(scene(kind, bodies), steps, 60), 5e-3);
    }
  }
}

// Each takes minutes.
TEST(Scenes, OfASphereHoldTheirBodiesForAsLongAsAVisitorWatches) {
  expect_held({SceneKind::plummer, SceneKind::king, SceneKind::hernquist});
}

TEST(Scenes, OfABlockHoldTheirBodiesForAsLongAsAVisitorWatches) {
  expect_held({SceneKind::collapse, SceneKind::cube, SceneKind::ring});
}

TEST(Scenes, OfGalaxiesHoldTheirBodiesForAsLongAsAVisitorWatches) {
  expect_held({SceneKind::galaxy, SceneKind::encounter});
}

TEST(Scenes, OfFewBodiesHoldThemForAsLongAsAVisitorWatches) {
  for (const SceneKind kind : {SceneKind::binary, SceneKind::figure_eight, SceneKind::butterfly,
                               SceneKind::moth, SceneKind::yin_yang, SceneKind::solar_system}) {
    SCOPED_TRACE(::testing::Message() << flags_of(scene(kind)));
    EXPECT_LT(drift(scene(kind), five_minutes, 30), kind == SceneKind::solar_system ? 1e-5 : 1e-6);
  }
  for (const std::int64_t bodies : {2, 3}) {
    SCOPED_TRACE(::testing::Message() << bodies << " on a circle");
    EXPECT_LT(drift(scene(SceneKind::ring, bodies), five_minutes, 60), 1e-6);
  }
  SceneOptions narrow = scene(SceneKind::binary);
  narrow.eccentricity = 0.99;
  EXPECT_LT(drift(narrow, five_minutes, 30), 1e-6);
}

TEST(Scenes, TwentyThousandBodiesOnACircleStayTogether) {
  EXPECT_LT(drift(scene(SceneKind::ring, 20000), 30, 10), 1e-4);
}

/// Ten minutes in the window: the bodies come back to where they began, period after period.
TEST(Scenes, PeriodicOrbitsStayThemselvesForTenMinutes) {
  constexpr double watched = 600 * shown_steps_a_second * 0.01;
  for (const auto& [kind, period] : {std::pair{SceneKind::figure_eight, 6.32591398},
                                     {SceneKind::butterfly, 6.23467483873},
                                     {SceneKind::moth, 14.8943051750},
                                     {SceneKind::yin_yang, 17.3288340186}}) {
    InitialConditions start = make_scene(scene(kind));
    const Bodies first = start.bodies;
    RunOptions run = suited_to(start, {}, {});
    const double steps = std::ceil(period / run.dt);
    run.dt = period / steps;
    NBodySimulation simulation(std::move(start), run);
    const double periods = std::floor(watched / period);
    simulation.advance(static_cast<std::int64_t>(periods * steps));
    for (std::size_t i = 0; i < first.size(); ++i) {
      const Bodies& now = simulation.bodies();
      EXPECT_LT(std::hypot(now.x[i] - first.x[i], now.y[i] - first.y[i]), 0.01)
          << flags_of(scene(kind)) << ", body " << i + 1 << " after " << periods << " periods";
    }
  }
}

}  // namespace
}  // namespace isolume::nbody
