#include "app/labs/livewire/files/contour_formats.h"

namespace isolume::labs::livewire {

std::vector<ContourFormat> surface_formats() {
  return {};
}

}  // namespace isolume::labs::livewire
