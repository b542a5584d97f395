#pragma once

#include <vector>

#include <vtkLookupTable.h>
#include <vtkSmartPointer.h>

#include "app/scene/text_style.h"

namespace isolume::scene {

/// For signed fields, over [-reach, reach]: from `negative` over `middle` at zero to `positive`, each half
/// even in CIELAB. With the lobes' colours it says the same as they do.
vtkSmartPointer<vtkLookupTable> diverging_map(const Rgb& negative, const Rgb& middle, const Rgb& positive,
                                              double reach);
/// For densities, over [0, reach]: viridis (S. van der Walt, N. Smith, CC0), eleven of its colours joined in
/// CIELAB; even in lightness and safe for colour blindness.
vtkSmartPointer<vtkLookupTable> sequential_map(double reach);

/// The smallest of ... 0.1, 0.2, 0.5, 1, 2, 5 ... that is not below `value` (> 0), and the largest not above
/// it.
double rounded_up(double value);
double rounded_down(double value);
/// The round values 1, 2, 5 x 10^n in [reach/60, reach], ascending.
std::vector<double> round_levels(double reach);

}  // namespace isolume::scene
