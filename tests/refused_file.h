#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace isolume::testing {

/// Reading throws InputError whose text has this part, and which names this line.
inline void expect_refused(const std::function<void()>& read, const std::string& part, std::size_t line) {
  try {
    read();
    FAIL() << "taken, though: " << part;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_EQ(error.line(), line) << error.what();
  }
}

}  // namespace isolume::testing
