#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/dispatch/compute_options.h"
#include "core/flames/flame.h"
#include "core/parameters/schema.h"

namespace isolume::flames {

enum class PaletteChoice { own, embers, ocean, spectrum, forest, grey };

/// A flame that is being changed, with what a person has chosen in it.
struct Editing : dispatch::ComputeOptions {
  Editing();
  Flame flame = gasket();
  int function = 1;  ///< chosen one, from 1; 0: the final transform
  Variation variation = Variation::linear;
  PaletteChoice palette = PaletteChoice::own;
  Palette own_palette = default_palette();  ///< of the file
  int last_seed = 0;                        ///< of random flames and mutations
  std::optional<Flame> second = {};         ///< to which playing interpolates, and back
  double time = 0;                          ///< of playing, 0 to 1
  bool triangles = true;                    ///< whether the affine maps are drawn

  /// The chosen function; the first one if there is no such function.
  Function& chosen();
  const Function& chosen() const { return const_cast<Editing*>(this)->chosen(); }
  /// Amount and parameters of the chosen variation; amount 0 and standard parameters if the function has none.
  Term term() const;
  /// Adds the term, replaces it, or removes it where its amount is 0.
  void set_term(const Term& term);
};

/// Replaces the flame, and chooses its first function.
void set_flame(Editing& editing, Flame flame);
/// The flame at the time: at_time().
Flame shown_flame(const Editing& editing);
/// For sessions, besides the parameters: the flame, with the palette of its file, the second one, the time.
nlohmann::json state_of(const Editing& editing);
/// Keeps what is chosen: function, variation, palette. Throws Error or JSON's exceptions.
void set_state(Editing& editing, const nlohmann::json& state);
/// Adds a copy of the chosen function, moved by a quarter in both directions, and chooses it.
void add_function(Editing& editing);
/// Deletes the chosen function, or the final transform if that is chosen.
void delete_chosen(Editing& editing);
/// Adds a final transform that is the identity, and chooses it; or removes the one that there is.
void toggle_final_transform(Editing& editing);
/// Sets the affine map of a function and chooses it. Throws Error if there is no such function.
void set_map(Editing& editing, int function, const Affine& map);

/// All parameters of the chosen function and variation, of palette, picture, view and computation.
const parameters::Schema<Editing>& editing_schema();
/// Restricts descriptions to what there is: numbers of functions, parameters of the chosen variation by their names.
void narrow(const Editing& editing, parameters::Description& description);

Palette made_palette(PaletteChoice choice);

}  // namespace isolume::flames
