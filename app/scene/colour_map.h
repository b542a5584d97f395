#pragma once

#include <vector>

#include <vtkLookupTable.h>
#include <vtkSmartPointer.h>

#include "app/scene/field_view.h"
#include "app/scene/text_style.h"
#include "core/lattice/scalar_field.h"

class vtkUniforms;

namespace isolume::scene {

/// For signed fields: from `negative` over `middle` at zero to `positive`, each part even in CIELAB; `middle` is at the
/// nearest end where zero lies outside. With the lobes' colours it says the same as they do.
vtkSmartPointer<vtkLookupTable> diverging_map(const Rgb& negative, const Rgb& middle, const Rgb& positive,
                                              const ColourSpan& span);
/// Over [-reach, reach].
vtkSmartPointer<vtkLookupTable> diverging_map(const Rgb& negative, const Rgb& middle, const Rgb& positive,
                                              double reach);
/// For densities, over [low, high] by their logarithm: viridis (core/base/viridis.h), joined in CIELAB. What
/// is below has the first colour.
vtkSmartPointer<vtkLookupTable> logarithmic_map(double low, double high);

/// For densities that colour a surface: viridis.
vtkSmartPointer<vtkLookupTable> sequential_map(const ColourSpan& span);
/// Over [0, reach].
vtkSmartPointer<vtkLookupTable> sequential_map(double reach);

/// How far colours reach that show a whole field: to a round value, such that all but the outermost peaks (a hundredth
/// of the density) fits in. A nucleus would else leave the rest pale.
double colour_reach(const lattice::ScalarField& field, bool both_signs);

/// Gives a table to our fragment shaders: vec3 fieldColours[], at even distances along the table, and vec2 fieldRange.
void set_shader_colours(vtkUniforms& uniforms, vtkLookupTable& table);

/// The round values 1, 2, 5 x 10^n in [reach/span, reach], ascending.
std::vector<double> round_levels(double reach, double span);

}  // namespace isolume::scene
