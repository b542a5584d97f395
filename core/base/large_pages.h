#pragma once

#include <cstddef>

namespace isolume {

/// Asks the system for pages of 2 MB where the memory is 4 MB or more: memory that is written for the first
/// time costs a page fault a page, which for the usual 4 kB takes longer than writing does, and a walk that
/// jumps about in it finds few pages of 4 kB in the processor's table of them.
void prefer_large_pages(void* memory, std::size_t bytes);

}  // namespace isolume
