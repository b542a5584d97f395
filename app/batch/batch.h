#pragma once

#include <functional>
#include <iosfwd>
#include <stop_token>
#include <string>
#include <vector>

#include "app/batch/batch_lab.h"

namespace isolume::batch {

/// Runs `isolume-batch ARGUMENTS...` with these labs in this process. Results and --json go to `out`,
/// everything else to `err`; errors are one line "isolume-batch: WHAT". Returns the exit code: 0 only on
/// success, 1 for a failure, 2 for an invalid command line, 130 if `stop` was requested before the work was
/// done; no output file is left behind then. `live` draws progress on `err` (for terminals). A lean program gives
/// `full_program` (see Context).
int run(const std::vector<BatchLab>& labs, std::vector<std::string> arguments, std::ostream& out,
        std::ostream& err, bool live = false, std::stop_token stop = {},
        std::function<void()> full_program = nullptr);

}  // namespace isolume::batch
