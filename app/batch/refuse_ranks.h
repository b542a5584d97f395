#pragma once

namespace isolume::batch {

/// Of a program without MPI. Throws Error where a launcher has started several processes: all would do the same work and write the
/// same files.
void refuse_ranks();

}  // namespace isolume::batch
