#pragma once

#include "core/ranks/ranks.h"

namespace isolume::testing {

/// Of this program, which all tests run on together: each test does the same calls on every rank.
const Ranks& ranks();

}  // namespace isolume::testing
