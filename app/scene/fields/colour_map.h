#pragma once

#include <vector>

#include <vtkLookupTable.h>
#include <vtkSmartPointer.h>

#include "app/scene/drawing/text_style.h"
#include "app/scene/fields/field_view.h"
#include "core/grid/scalar_field.h"

class vtkUniforms;

namespace isolume::scene {

/// For signed fields: from `negative` over `middle` at zero to `positive`, each half uniform in CIELAB but for its last
/// fifth, which ends softly; if zero is outside the range, `middle` is at the nearest end. With the colours of the
/// lobes, map and lobes match.
vtkSmartPointer<vtkLookupTable> diverging_map(const Rgb& negative, const Rgb& middle, const Rgb& positive,
                                              const ColourSpan& span);
/// The same over [-reach, reach].
vtkSmartPointer<vtkLookupTable> diverging_map(const Rgb& negative, const Rgb& middle, const Rgb& positive,
                                              double reach);
/// For densities, over [low, high] on a logarithmic scale: viridis (core/base/viridis.h), interpolated in
/// CIELAB. Smaller values have the first colour.
vtkSmartPointer<vtkLookupTable> logarithmic_map(double low, double high);

/// For densities that colour a surface: viridis.
vtkSmartPointer<vtkLookupTable> sequential_map(const ColourSpan& span);
/// The same over [0, reach].
vtkSmartPointer<vtkLookupTable> sequential_map(double reach);

/// What a colour map is made of.
struct ColourMapChoice {
  enum class Kind { diverging, sequential, logarithmic } kind = Kind::sequential;
  ColourSpan span;
  Rgb negative{}, middle{}, positive{};  ///< of a diverging map
  bool operator==(const ColourMapChoice&) const = default;
};
vtkSmartPointer<vtkLookupTable> colour_map(const ColourMapChoice& choice);
/// A colour map that is made anew only for another choice: its colours are interpolated in CIELAB, which takes longer than
/// all else that a tick of a slider does.
class KeptColourMap {
 public:
  /// Its table is not changed any more: another choice gets a table of its own.
  const vtkSmartPointer<vtkLookupTable>& table_for(const ColourMapChoice& choice);

 private:
  ColourMapChoice choice_;
  vtkSmartPointer<vtkLookupTable> table_;  ///< null before the first choice
};

/// The limit of colours for a whole field: a round value below which all but the outermost peaks (a hundredth
/// of the density) lie. Otherwise a nucleus would leave the rest pale.
double colour_reach(const grid::ScalarField& field, bool both_signs);

/// Passes a table to our fragment shaders: vec3 fieldColours[], at equal distances along the table, and vec2
/// fieldRange.
void set_shader_colours(vtkUniforms& uniforms, vtkLookupTable& table);

/// The round values 1, 2, 5 x 10^n in [reach/span, reach], ascending.
std::vector<double> round_levels(double reach, double span);

}  // namespace isolume::scene
