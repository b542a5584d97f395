#include "app/workbench/window/application.h"

#include <QElapsedTimer>
#include <QEvent>
#include <QLibraryInfo>
#include <QLocale>
#include <QMetaEnum>
#include <QTranslator>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <utility>

#include "core/base/error_text.h"
#include "core/base/language.h"
#include "core/base/logging.h"
#include "core/base/version.h"

namespace isolume::workbench {
namespace {

constexpr double budget_milliseconds = 8;
constexpr const char* without_display_advice =
    "Without a display, packaging/run draws a PNG picture, and isolume-batch render FILE -o OUT.png does the "
    "same.";

/// Computing time of this thread, which excludes waiting on a busy machine.
double thread_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

bool debug_wanted() {
  const char* level = std::getenv("ISOLUME_LOG");
  return level != nullptr && std::string_view(level) == "debug";
}

std::string event_name(QEvent::Type type) {
  const char* name = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
  return name != nullptr ? name : std::to_string(static_cast<int>(type));
}

/// " (DISPLAY is :1)", or empty.
std::string named_display() {
  const char* display = std::getenv("DISPLAY");
  return display == nullptr ? std::string() : std::string(" (DISPLAY is ") + display + ")";
}

void take_message(QtMsgType type, const QMessageLogContext&, const QString& message) {
  const std::string text = message.toStdString();
  switch (type) {
    case QtDebugMsg:
    case QtInfoMsg:
      log::debug("Qt: {}", text);
      break;
    case QtWarningMsg:
      // About the environment; Qt recovers by itself, and the user can do nothing.
      if (text.starts_with("QStandardPaths: XDG_RUNTIME_DIR")) {
        log::debug("Qt: {}", text);
      } else {
        log::warning("Qt: {}", text);
      }
      break;
    case QtCriticalMsg:
      log::error("Qt: {}", text);
      break;
    case QtFatalMsg:
      if (text.find("platform plugin") != std::string::npos) {
        std::fprintf(stderr, "isolume: no window can be opened: the display cannot be used%s. %s\n",
                     named_display().c_str(), without_display_advice);
        std::_Exit(EXIT_FAILURE);
      }
      log::error("Qt: {}", text);
      break;
  }
}

/// The English file holds plural forms; that of the user's language, if there is one, takes precedence.
void load_translations(QCoreApplication& application) {
  const auto load = [&application](const QLocale& locale, const QString& name, const QString& folder) {
    auto* translator = new QTranslator(&application);
    if (translator->load(locale, name, "_", folder)) QCoreApplication::installTranslator(translator);
  };
  load(QLocale::English, "isolume", ":/translations");
  load(QLocale(), "isolume", ":/translations");
  set_language([](const char* context, const char* text) {
    return QCoreApplication::translate(context, text).toStdString();
  });
  load(QLocale(), "qtbase", QLibraryInfo::path(QLibraryInfo::TranslationsPath));
}

}  // namespace

Application::Application(int& argc, char** argv) : QApplication(argc, argv), watches_(debug_wanted()) {
  setOrganizationName("Isolume");
  setApplicationName("isolume");
  setApplicationDisplayName("Isolume");
  setApplicationVersion(version);
  setDesktopFileName("isolume");
  load_translations(*this);
}

bool Application::notify(QObject* receiver, QEvent* event) {
  QElapsedTimer timer;
  timer.start();
  const double computed_before = watches_ ? thread_milliseconds() : 0;
  const qint64 nested_before = std::exchange(nested_nanoseconds_, 0);
  const double nested_computed_before = std::exchange(nested_computed_milliseconds_, 0);
  // The receiver may be destroyed by the event.
  const std::string who = watches_ ? receiver->metaObject()->className() : std::string();
  const QEvent::Type type = event->type();
  bool handled = true;
  try {
    handled = QApplication::notify(receiver, event);
  } catch (const std::exception& error) {
    log::error("Unhandled error: {}", error_text(error));
  }
  const qint64 whole = timer.nsecsElapsed();
  const double own = static_cast<double>(whole - nested_nanoseconds_) / 1e6;
  nested_nanoseconds_ = nested_before + whole;
  const double computed = watches_ ? thread_milliseconds() - computed_before : 0;
  if (watches_ && own > budget_milliseconds) {
    log::debug("The GUI thread was blocked for {:.1f} ms by {} in {}; it computed for {:.1f} ms.", own,
               event_name(type), who, computed - nested_computed_milliseconds_);
  }
  nested_computed_milliseconds_ = nested_computed_before + computed;
  return handled;
}

std::string why_no_display() {
  for (const char* variable : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return {};
  }
  return std::string("no window can be opened: neither DISPLAY nor WAYLAND_DISPLAY is set. ") +
         without_display_advice;
}

void take_qt_messages() {
  qInstallMessageHandler(take_message);
}

}  // namespace isolume::workbench

#include "moc_application.cpp"
