#pragma once

#include <string>

#include "app/labs/nbody/batch_recording.h"
#include "app/labs/nbody/batch_source.h"
#include "core/nbody/engines/run_options.h"
#include "core/nbody/files/bodies_file.h"

namespace isolume::batch {

struct Context;

/// What `nbody forces` is asked for.
struct ForcesRequest {
  std::string file, at, output;  ///< at: places, or empty
  bool json = false;
  const CLI::App* command = nullptr;
  nbody::ForceOptions force;
  nbody::FileOptions file_options;
};

/// What `nbody run` is asked for.
struct RunRequest {
  RecordingOptions recording;
  bool json = false;
  const CLI::App* command = nullptr;
  Source source;
  nbody::RunOptions run;
};

/// Do it together with the other ranks where a launcher (mpirun) has started several of them, or return false where it
/// has not. The first rank reads, writes and speaks. Throw Error where this build has no MPI.
bool forces_on_ranks(Context& context, const ForcesRequest& request);
bool run_on_ranks(Context& context, const RunRequest& request);

}  // namespace isolume::batch
