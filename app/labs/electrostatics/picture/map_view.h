#pragma once

#include <cstddef>
#include <string>

#include "app/scene/fields/field_view.h"
#include "core/electrostatics/surfaces/surface_samples.h"
#include "core/parameters/schema.h"

namespace isolume::labs::electrostatics {

/// `surface`: the molecule's surface in the colours of the potential on it; `potential`: where it has a value.
enum class Shown { surface, potential, nothing };

/// The first ones are those of MolecularSurface; `density`: where the density of a wavefunction's electrons has a value.
enum class MapForm { gaussian, ses, sas, vdw, density };
/// For what charges alone have; of `density`, solvent-excluded.
isolume::electrostatics::MolecularSurface molecular_surface_of(MapForm form);
struct MapView;
/// The molecule's surface with the height above it at which its colours are taken.
isolume::electrostatics::SampledSurface sampled_surface_of(const MapView& view);

/// `chains`: in the place of the atoms of residues that have one.
enum class RibbonShown { none, chains, with_atoms };
/// By secondary structure, by chain, or by the mean of the potential on a residue's part of the surface.
enum class RibbonColour { structure, chain, potential };

/// What is written at atoms; `residue`: at each residue, once.
enum class AtomLabels { none, element, name, residue, charge, radius };
/// More of them would hide the picture, and slow it down.
inline constexpr std::size_t most_labels = 300;

/// `neutral`: as many as make up for the molecule's charge; `neutral_salt`: and salt behind them; `counted`: a number.
enum class IonsShown { none, neutral, neutral_salt, salt, counted };
/// `usual`: sodium or chloride, whichever makes up for the molecule's charge.
enum class IonKind { usual, sodium, potassium, magnesium, calcium, zinc, chloride };
enum class Cation { sodium, potassium, magnesium, calcium };
enum class Anion { chloride, bromide, fluoride, iodide };

/// How the Electrostatics lab draws what was computed.
struct MapView : scene::FieldView {
  Shown shown = Shown::surface;
  MapForm form = MapForm::ses;
  double density_isovalue = 0.001;  ///< e/bohr^3 (Bader et al., J. Am. Chem. Soc. 109, 7968 (1987))
  bool atoms = true;
  double atom_scale = 0.15;  ///< of the van der Waals radius
  AtomLabels labels = AtomLabels::none;
  RibbonShown ribbon = RibbonShown::none;
  RibbonColour ribbon_colour = RibbonColour::structure;
  std::string selection;  ///< as structures::select_atoms takes it
  bool isolate = false;   ///< of atoms and ribbon, only what is selected
  IonsShown ions = IonsShown::none;
  IonKind ion = IonKind::usual;
  int ion_count = 10;
  double ion_molar = 0.15;  ///< of the salt
  Cation cation = Cation::sodium;
  Anion anion = Anion::chloride;
  bool field_lines = false;
  int field_line_count = 200;

  MapView() {
    isovalue_mode = scene::IsovalueMode::value;
    isovalue = 1;
    opacity = 1;
    colour_range = scene::ColourRange::locked;
    colour_limit = 5;
    colour_low = -5;
    colour_high = 5;
    colours_of_field = true;
    isosurface_key = true;
    depth_cue = 0.3;
  }
};

/// shown, form, density-isovalue, sample-height, atoms, atom-scale, labels, ribbon, ribbon-colour, selection, isolate, ions, ion, ion-count, ion-molar, salt-cation, salt-anion, field-lines, field-line-count, and those of FieldView but for what encloses a density; `shown` says whether there is a
/// surface, too, since `surface` is what parts solute and solvent.
const parameters::Schema<MapView>& map_view_schema();

}  // namespace isolume::labs::electrostatics
