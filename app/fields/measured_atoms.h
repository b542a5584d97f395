#pragma once

#include <QEvent>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/workbench/contract/lab.h"
#include "core/molecules/molecule.h"

namespace isolume::fields {

/// Atoms (from 0) between which a lab measures a distance or an angle, in the order in which they were chosen.
class MeasuredAtoms {
 public:
  struct Lab {
    std::string name;                                      ///< prefix of its commands
    std::function<const molecules::Molecule*()> molecule;  ///< null while no file is open
    std::function<std::string()> text;                     ///< the measurement, for scripts
    std::function<void()> show;                            ///< marks the atoms
    std::function<void()> tell;                            ///< reports the measurement in the status line
  };
  MeasuredAtoms(workbench::LabContext& context, Lab lab);

  const std::vector<int>& atoms() const { return atoms_; }
  bool empty() const { return atoms_.empty(); }
  /// For another file: no step of undo, nothing is shown.
  void forget() { atoms_.clear(); }
  /// Shows these; none where the molecule that is open now lacks one of them.
  void restore(std::vector<int> atoms);
  /// A click on an atom adds it, up to four; a fifth starts anew, and a click on a chosen one removes it.
  void click(int atom);
  /// Whether the event is Escape while something is measured, which ends measuring before anything else.
  bool ends_with(QEvent& event);
  /// Binds `<lab>.measure.atoms` and `<lab>.measure.clear`. `unavailable`: why atoms cannot be measured now.
  void bind(std::function<std::string()> unavailable);

 private:
  void measure(std::vector<int> atoms);
  nlohmann::json measured() const;
  void run(const std::vector<int>& atoms) const;

  workbench::LabContext& context_;
  Lab lab_;
  std::vector<int> atoms_;
};

}  // namespace isolume::fields
