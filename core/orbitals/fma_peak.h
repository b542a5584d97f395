#pragma once

namespace isolume::orbitals {

/// Runs single-precision multiply-adds on registers for about `seconds` on this thread; returns operations a
/// second (two a multiply-add).
double measure_fma_peak(double seconds);

}  // namespace isolume::orbitals
