#pragma once

namespace isolume {

/// The longest wait for what a window shows soon, on a busy machine.
inline constexpr int patience_ms = 60'000;

}  // namespace isolume
