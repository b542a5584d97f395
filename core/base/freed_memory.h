#pragma once

namespace isolume {

/// Gives the system what was freed and is kept for the next request: after a document of gigabytes was closed, other
/// programs need it more. Takes some tens of milliseconds.
void return_freed_memory();

}  // namespace isolume
