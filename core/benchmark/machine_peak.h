#pragma once

#include <cstddef>

namespace isolume::benchmarks {

/// What the machine can do at best, measured.
struct MachinePeak {
  int threads = 1;
  double gflop_per_second = 0;  ///< single-precision multiply-adds in registers only, all threads together
};
/// Of so many threads, one at least. Takes 0.2 s.
MachinePeak measure_machine_peak(int threads);

/// Pairs of points between which gravity is summed at best, a second, all threads together: an approximate
/// inverse root, 13 multiply-adds and 4 additions each, in single precision and in registers only. Takes 0.2 s.
double measure_pair_peak(int threads);
/// The same for the potential of a charge at a point alone: an approximate inverse root, 6 multiply-adds and 2 additions.
double measure_potential_peak(int threads);

/// Milliseconds that memory of this size takes to be allocated and written once by all threads: the best of
/// many, as others may use the machine too. Measured at the size itself, because a small one stays in the
/// caches.
double fastest_write_ms(std::size_t bytes, int threads);

}  // namespace isolume::benchmarks
