#include "app/workbench/window/log_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "app/workbench/look/theme.h"

namespace isolume::workbench {
namespace {

constexpr std::size_t lines_kept = 5000;

QColor colour_of(log::Level level) {
  switch (level) {
    case log::Level::debug:
      return QApplication::palette().color(QPalette::Disabled, QPalette::Text);
    case log::Level::info:
      return QApplication::palette().color(QPalette::Text);
    case log::Level::warning:
      return warning_colour();
    case log::Level::error:
      return error_colour();
  }
  return {};
}

QString word_of(log::Level level) {
  static const QStringList words{"debug", "info", "warning", "error"};
  return words.at(static_cast<int>(level));
}

}  // namespace

LogPanel::LogPanel(QWidget* parent) : QWidget(parent), level_(new QComboBox), text_(new QPlainTextEdit) {
  level_->addItems({tr("Everything"), tr("Information"), tr("Warnings"), tr("Errors")});
  level_->setCurrentIndex(static_cast<int>(log::Level::info));
  level_->setAccessibleName(tr("Lowest level shown"));
  text_->setReadOnly(true);
  text_->setMaximumBlockCount(static_cast<int>(lines_kept));
  text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  text_->setAccessibleName(tr("Log"));
  auto* copy = new QPushButton(tr("Copy"));
  auto* clear = new QPushButton(tr("Clear"));

  auto* row = new QHBoxLayout;
  row->addWidget(new QLabel(tr("Show")));
  row->addWidget(level_);
  row->addStretch();
  row->addWidget(copy);
  row->addWidget(clear);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 4, 4, 4);
  column->addLayout(row);
  column->addWidget(text_);

  connect(level_, &QComboBox::currentIndexChanged, this, [this] { fill(); });
  connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(shown_text()); });
  connect(clear, &QPushButton::clicked, this, [this] {
    lines_.clear();
    text_->clear();
  });
  listener_ = log::listen([this](const log::Entry& entry) {
    QMetaObject::invokeMethod(
        this, [this, line = Line{QTime::currentTime(), entry}] { keep(line); }, Qt::QueuedConnection);
  });
}

LogPanel::~LogPanel() {
  log::unlisten(listener_);
}

QString LogPanel::shown_text() const {
  return text_->toPlainText();
}

void LogPanel::show_level(log::Level least) {
  level_->setCurrentIndex(static_cast<int>(least));
}

log::Level LogPanel::least_shown() const {
  return static_cast<log::Level>(level_->currentIndex());
}

void LogPanel::keep(Line line) {
  append(line);
  lines_.push_back(std::move(line));
  if (lines_.size() > lines_kept) lines_.pop_front();
}

void LogPanel::append(const Line& line) {
  if (line.entry.level < least_shown()) return;
  const QString text =
      QString("%1  %2  %3")
          .arg(line.time.toString("HH:mm:ss.zzz"), word_of(line.entry.level).leftJustified(7),
               QString::fromStdString(line.entry.text));
  text_->appendHtml(QString("<span style=\"white-space: pre; color: %1\">%2</span>")
                        .arg(colour_of(line.entry.level).name(), text.toHtmlEscaped()));
}

void LogPanel::fill() {
  text_->clear();
  for (const Line& line : lines_) append(line);
}

}  // namespace isolume::workbench

#include "moc_log_panel.cpp"
