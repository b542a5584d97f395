#pragma once

#include <QtGlobal>
#include <cstdio>

#include <gtest/gtest.h>

namespace isolume {

/// From now on whatever Qt warns of is a failure of the test that runs: a person would read it in the log.
inline void fail_on_qt_warnings() {
  qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& message) {
    const std::string text = message.toStdString();
    if (type == QtDebugMsg || type == QtInfoMsg) {
      std::fprintf(stderr, "%s\n", text.c_str());
    } else {
      ADD_FAILURE() << "Qt: " << text;
    }
  });
}

}  // namespace isolume
