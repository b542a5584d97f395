#pragma once

#include <memory>
#include <vector>

#include "app/scene/drawing/text_style.h"
#include "core/molecules/molecule.h"

class vtkPolyData;
class vtkRenderer;
template <class T>
class vtkSmartPointer;

namespace isolume::scene {

/// The balls, sticks and labels of a molecule. Immutable.
struct MoleculeShape;
/// Takes longer than a frame for many atoms. Callable from any thread.
std::shared_ptr<const MoleculeShape> molecule_shape(const molecules::Molecule& molecule);

/// A molecule as balls and sticks in one renderer, in angstrom: spheres by element, sticks in the colours of
/// the atoms they join, and labels (element and number from 1).
class MoleculeProp {
 public:
  explicit MoleculeProp(vtkRenderer& renderer);
  ~MoleculeProp();

  void set_molecule(const molecules::Molecule& molecule) { set_shape(molecule_shape(molecule)); }
  void set_shape(std::shared_ptr<const MoleculeShape> shape);
  /// The radius of a ball is `atom_scale` times the van der Waals radius.
  void set_atom_scale(double atom_scale);
  void set_visible(bool atoms, bool labels);
  /// Shows the atoms whose entry is true, with the halves of their bonds; empty: all, as for every new
  /// molecule.
  void set_shown_atoms(std::vector<bool> shown);
  void set_text_colour(const Rgb& colour);
  /// The atom at a point of the picture (from 0 at its lower left corner to 1), even behind surfaces; -1 if
  /// there is none or atoms are not shown.
  int atom_at(double x, double y) const;
  bool empty() const;
  bool visible() const;

  /// Balls and sticks as triangles with a colour per point, for files.
  vtkSmartPointer<vtkPolyData> triangles() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
