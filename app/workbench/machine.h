#pragma once

#include <string>
#include <vector>

namespace isolume::workbench {

/// One row of the Devices dock.
struct MachineDevice {
  std::string name;    ///< "AMD Ryzen 7 ..."; for a missing GPU: "GPU"
  std::string kind;    ///< "CPU", "GPU", "none"
  std::string units;   ///< "8 threads, AVX-512"; "compute capability 8.9"
  std::string memory;  ///< "12.1 GiB may be used"
  std::string note;    ///< why it is not used; empty when it is
};

/// The processor, then every GPU, or one row that says why there is none. May take a second: not for the GUI
/// thread.
std::vector<MachineDevice> describe_machine();

}  // namespace isolume::workbench
