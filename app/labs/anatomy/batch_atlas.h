#pragma once

#include <functional>
#include <string>

#include "core/anatomy/atlas_processes.h"

namespace CLI {
class App;
}
namespace isolume::batch {
struct Context;
}

namespace isolume::labs::anatomy {

/// The ranks among which images are dealt, in parts of one length whose order is that of the ranks; this class is one.
class AtlasRanks : public isolume::anatomy::AtlasProcesses {
 public:
  virtual int rank() const { return 0; }
  virtual int count() const { return 1; }
  bool are_several() const override { return count() > 1; }
  /// Threads of a rank; 0: all.
  virtual int threads() const { return 0; }
  /// The texts of all ranks, one after the other.
  virtual std::string joined(const std::string& own) const { return own; }
};

/// Does the work together with the other ranks where a launcher (mpirun) has started several of them, or returns false where it
/// has not. Throws Error in a program without MPI.
bool on_atlas_ranks(batch::Context& context, const std::function<void(const AtlasRanks&)>& work);

/// Adds `anatomy atlas`.
void add_atlas_verb(CLI::App& lab, batch::Context& context);

}  // namespace isolume::labs::anatomy
