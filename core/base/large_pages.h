#pragma once

#include <cstddef>

namespace isolume {

/// Requests pages of 2 MB from the system for memory of 4 MB or more. The first write to memory costs one
/// page fault per page, which for the usual 4 kB takes longer than the writing, and random access to pages of
/// 4 kB often misses the TLB.
void prefer_large_pages(void* memory, std::size_t bytes);

}  // namespace isolume
