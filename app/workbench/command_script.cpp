#include "app/workbench/command_script.h"

#include <utility>

#include "app/workbench/main_window.h"

namespace isolume::workbench {
namespace {

constexpr int milliseconds_between_looks = 10;
// A job's end hands a result to the window, and taking it may start the next job: only when nothing was under
// way at several looks, with the event loop free to run between them, is the command done.
constexpr int quiet_looks_needed = 3;

}  // namespace

CommandScript::CommandScript(MainWindow& window, std::vector<std::string> lines, QObject* parent)
    : QObject(parent), window_(window), lines_(std::move(lines)) {
  timer_.setInterval(milliseconds_between_looks);
  connect(&timer_, &QTimer::timeout, this, &CommandScript::look);
  connect(&window_, &MainWindow::command_failed, this, &CommandScript::stop);
  connect(&window_, &MainWindow::job_failed, this, &CommandScript::stop);
}

void CommandScript::start() {
  running_ = true;
  timer_.start();
}

void CommandScript::look() {
  if (window_.busy()) {
    quiet_looks_ = 0;
    return;
  }
  if (++quiet_looks_ < quiet_looks_needed) return;
  quiet_looks_ = 0;
  if (next_ == lines_.size()) {
    stop({});
  } else {
    window_.run(lines_[next_++]);
  }
}

void CommandScript::stop(const QString& error) {
  if (!std::exchange(running_, false)) return;
  timer_.stop();
  Q_EMIT finished(error);
}

}  // namespace isolume::workbench
