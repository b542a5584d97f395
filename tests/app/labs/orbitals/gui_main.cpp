// Tests drive real windows, with settings of their own that are thrown away.
#include <QSettings>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "app/scene/view/view_widget.h"
#include "app/workbench/window/application.h"
#include "tests/app/fail_on_qt_warnings.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const QTemporaryDir settings;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
  isolume::scene::ViewWidget::set_default_surface_format();
  isolume::workbench::Application application(argc, argv);
  isolume::fail_on_qt_warnings();
  return RUN_ALL_TESTS();
}
