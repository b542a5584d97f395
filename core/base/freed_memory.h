#pragma once

namespace isolume {

/// Returns freed memory that the allocator keeps for later requests to the system: after a document of
/// gigabytes was closed, other programs need it more. Takes some tens of milliseconds.
void return_freed_memory();

}  // namespace isolume
