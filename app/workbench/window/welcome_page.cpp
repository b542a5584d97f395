#include "app/workbench/window/welcome_page.h"

#include <QCommandLinkButton>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>
#include <filesystem>
#include <utility>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/look/icons.h"
#include "core/base/resources.h"

namespace isolume::workbench {
namespace {

constexpr int tiles_in_a_row = 3;

/// A button of the page that shows the focus.
class Tile final : public QCommandLinkButton {
 public:
  using QCommandLinkButton::QCommandLinkButton;

 protected:
  void paintEvent(QPaintEvent* event) override {
    QCommandLinkButton::paintEvent(event);
    if (!hasFocus()) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), 3, 3);
  }
};

QLabel* heading(const QString& text, double scale) {
  auto* label = new QLabel(text);
  QFont font = label->font();
  font.setPointSizeF(font.pointSizeF() * scale);
  font.setBold(true);
  label->setFont(font);
  return label;
}

QWidget* in_rows(const std::vector<QWidget*>& tiles) {
  auto* rows = new QWidget;
  auto* grid = new QGridLayout(rows);
  grid->setContentsMargins(0, 0, 0, 0);
  int place = 0;
  for (QWidget* tile : tiles) {
    grid->addWidget(tile, place / tiles_in_a_row, place % tiles_in_a_row);
    ++place;
  }
  for (int i = 0; i < tiles_in_a_row; ++i) grid->setColumnStretch(i, 1);
  return rows;
}

/// The sample's thumbnail, or the program's logo if none is shipped.
QIcon thumbnail(const Sample& sample) {
  const std::string file = std::filesystem::path(sample.resource).filename().string();
  try {
    return QIcon(
        QString::fromStdString(resource("thumbnails/" + file.substr(0, file.find('.')) + ".png").string()));
  } catch (const Error&) {
    return icon("isolume");
  }
}

}  // namespace

WelcomePage::WelcomePage(const std::vector<const LabDescription*>& labs,
                         std::function<void(const std::string& line)> run, QWidget* parent)
    : QWidget(parent),
      run_(std::move(run)),
      session_(new Tile(tr("Restore the last session"))),
      recent_(new QWidget),
      recent_files_(new QVBoxLayout(recent_)) {
  setObjectName("welcome-page");
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(40, 32, 40, 32);
  column->setSpacing(10);
  column->addWidget(heading("Isolume", 2.2));
  column->addWidget(new QLabel(tr("Explore computed scientific fields, live.")));
  column->addSpacing(12);

  auto* open = new Tile(tr("Open a file"), tr("Or drop a file or a folder on this window."));
  open->setObjectName("welcome.open");
  open->setIcon(icon("open"));
  connect(open, &QCommandLinkButton::clicked, this, [this] { run_("file.open"); });
  column->addWidget(open);
  session_->setObjectName("welcome.restore");
  session_->setIcon(icon("undo"));
  session_->hide();
  connect(session_, &QCommandLinkButton::clicked, this, [this] { run_("session.restore"); });
  column->addWidget(session_);  // unaligned: layouts give aligned items the height of a wider one

  column->addSpacing(12);
  std::vector<const LabDescription*> without_samples;
  for (const LabDescription* lab : labs) {
    if (lab->samples.empty()) {
      without_samples.push_back(lab);
      continue;
    }
    column->addWidget(heading(translated(lab->title), 1.3));
    auto* summary = new QLabel(translated(lab->summary));
    summary->setWordWrap(true);
    column->addWidget(summary);
    column->addWidget(make_tiles(lab->samples));
    column->addSpacing(8);
  }
  if (!without_samples.empty()) {
    column->addWidget(heading(tr("Start without a file"), 1.3));
    column->addWidget(make_lab_tiles(without_samples));
  }
  recent_files_->setContentsMargins(0, 12, 0, 0);
  column->addWidget(recent_);
  column->addStretch();
  auto* hint = new QLabel(tr("Every action is a command. Press Ctrl+Shift+P to find it."));
  hint->setForegroundRole(QPalette::PlaceholderText);
  column->addWidget(hint);

  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidget(page);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(scroll);
}

QWidget* WelcomePage::make_tiles(const std::vector<Sample>& samples) {
  std::vector<QWidget*> tiles;
  for (const Sample& sample : samples) {
    const QString title = translated(sample.title), description = translated(sample.description);
    auto* tile = new Tile(title, description);
    tile->setObjectName("sample." + QString::fromStdString(sample.title));
    tile->setAccessibleName(tr("Open the sample %1: %2").arg(title, description));
    tile->setIcon(thumbnail(sample));
    tile->setIconSize(QSize(96, 72));
    const std::string line = "file.open-sample " + commands::quote(sample.title);
    connect(tile, &QCommandLinkButton::clicked, this, [this, line] { run_(line); });
    tiles.push_back(tile);
  }
  return in_rows(tiles);
}

QWidget* WelcomePage::make_lab_tiles(const std::vector<const LabDescription*>& labs) {
  std::vector<QWidget*> tiles;
  for (const LabDescription* lab : labs) {
    auto* tile = new Tile(translated(lab->title), translated(lab->summary));
    tile->setObjectName("welcome.lab." + QString::fromStdString(lab->name));
    tile->setIcon(icon("isolume"));
    connect(tile, &QCommandLinkButton::clicked, this, [this, line = "lab.show " + lab->name] { run_(line); });
    tiles.push_back(tile);
  }
  return in_rows(tiles);
}

void WelcomePage::offer_session(const QString& what) {
  session_->setDescription(what);
  session_->setVisible(!what.isEmpty());
}

void WelcomePage::show_recent(const QStringList& files) {
  while (QLayoutItem* item = recent_files_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  recent_->setVisible(!files.isEmpty());
  if (files.isEmpty()) return;
  recent_files_->addWidget(heading(tr("Recent files"), 1.3));
  for (int i = 0; i < files.size(); ++i) {
    const QFileInfo info(files[i]);
    auto* link = new QLabel(QString("<a href=\"%1\">%2</a>  %3")
                                .arg(i + 1)
                                .arg(info.fileName().toHtmlEscaped(), info.path().toHtmlEscaped()));
    link->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(link, &QLabel::linkActivated, this,
            [this](const QString& number) { run_("file.recent " + number.toStdString()); });
    recent_files_->addWidget(link);
  }
}

}  // namespace isolume::workbench

#include "moc_welcome_page.cpp"
