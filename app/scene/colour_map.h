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
/// For densities, over [low, high] by their logarithm: viridis (core/base/viridis.h), joined in CIELAB. What
/// is below has the first colour.
vtkSmartPointer<vtkLookupTable> logarithmic_map(double low, double high);

/// The round values 1, 2, 5 x 10^n in [reach/span, reach], ascending.
std::vector<double> round_levels(double reach, double span);

}  // namespace isolume::scene
