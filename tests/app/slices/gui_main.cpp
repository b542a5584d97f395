#include <QApplication>

#include <gtest/gtest.h>

#include "tests/app/fail_on_qt_warnings.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  QApplication application(argc, argv);
  isolume::fail_on_qt_warnings();
  return RUN_ALL_TESTS();
}
