#include "app/labs/livewire/views/session_view.h"

#include <algorithm>

namespace isolume::labs::livewire {

SessionView session_view(const nlohmann::json& state, const images::Geometry& geometry,
                         const contours::ContourSet& contours) {
  SessionView shown;
  const int axis = std::clamp(state.value("axis", 2), 0, 2);
  const int last = geometry.dimensions[static_cast<std::size_t>(axis)] - 1;
  shown.slice = {axis, std::clamp(state.value("slice", last / 2), 0, last)};
  const auto& all = contours.contours();
  // By place in the list: contours are numbered anew when they are read.
  const auto selected = state.find("selected");
  if (selected != state.end() && selected->is_number_unsigned() && selected->get<std::size_t>() < all.size())
    shown.selected = all[selected->get<std::size_t>()]->id;
  return shown;
}

}  // namespace isolume::labs::livewire
