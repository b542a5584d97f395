#pragma once

#include <array>
#include <cstddef>

#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"

/// Loops over the components of bodies' vectors, which are arrays of their own.
namespace isolume::nbody {

template <class Values>
auto axes(Values& values) {
  return std::array{&values.x, &values.y, &values.z};
}
template <class Values>
auto velocities(Values& values) {
  return std::array{&values.vx, &values.vy, &values.vz};
}
template <class Values>
auto accelerations(Values& values) {
  return std::array{&values.ax, &values.ay, &values.az};
}
template <class Values>
auto jerks(Values& values) {
  return std::array{&values.jx, &values.jy, &values.jz};
}

/// Calls part(begin, end) for parts of the bodies, on the threads of the arena.
template <class Part>
void for_parts_of_bodies(std::size_t count, const Part& part) {
  constexpr std::size_t grain = 1 << 12;
  using Range = tbb::blocked_range<std::size_t>;
  handover::parallel_for(Range(0, count, grain),
                         [&](const Range& range) { part(range.begin(), range.end()); });
}

/// Calls body(axis, i) for each axis of each body.
template <class Body>
void for_each_axis(std::size_t count, const Body& body) {
  for_parts_of_bodies(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = begin; i != end; ++i) body(axis, i);
    }
  });
}

/// Threads for work on this many pairs of bodies: as many as requested (0: one for each processor), or one where the
/// pairs take less time than waking the others, which a busy machine may not do for milliseconds.
inline int threads_for(int requested, std::size_t pairs) {
  constexpr std::size_t worth_waking = 1 << 17;  // 0.1 to 0.3 ms
  if (pairs < worth_waking) return 1;
  return requested > 0 ? requested : dispatch::processor_threads();
}

/// Runs work in an arena of this number of threads; 0: of all processors.
template <class Work>
auto on_threads(int threads, const Work& work) {
  tbb::task_arena arena(threads > 0 ? threads : dispatch::processor_threads());
  return arena.execute(work);
}

}  // namespace isolume::nbody
