#pragma once

#include <functional>

#include <nlohmann/json.hpp>

namespace isolume::labs::livewire {

class Workspace;

/// What comes back with autosaved contours: the shown slice and the unfinished trace.
nlohmann::json work_state(const Workspace& workspace);
/// Throws Error, or nlohmann's exceptions.
void restore_work(Workspace& workspace, const nlohmann::json& state);

/// What a session keeps of the lab: which series, the contours, where the person is.
std::function<nlohmann::json()> session_state(const Workspace& workspace);
/// The contours come by a job, as an entry in the undo list. Throws nlohmann's exceptions.
void restore_session(Workspace& workspace, const nlohmann::json& state);

}  // namespace isolume::labs::livewire
