#include "app/workbench/devices/devices_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QSplitter>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "app/workbench/contract/translated.h"
#include "app/workbench/devices/tile_timeline.h"
#include "app/workbench/look/theme.h"
#include "core/base/error.h"

namespace isolume::workbench {
namespace {

using dispatch::Device;
using dispatch::DeviceKind;
using dispatch::Report;

constexpr int soon_ms = 50;
constexpr int clock_ms = 1000;
constexpr int side_by_side_columns =
    130;  ///< in characters: from this width on, the timeline is next to the table

enum Column { number, name, kind, state, tiles, busy, memory, detail, column_count };
constexpr int longest_state = 30;  ///< characters of the first layout; a long reason is in the tool tip

QString from(const std::string& text) {
  return QString::fromStdString(text);
}

QString kind_name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return DevicesPanel::tr("CPU");
    case DeviceKind::gpu:
      return DevicesPanel::tr("GPU");
    case DeviceKind::emulated_gpu:
      return DevicesPanel::tr("emulated GPU");
  }
  return {};
}

QString memory_text(const Device& device) {
  if (device.memory_bytes() == 0)
    return DevicesPanel::tr("%1 usable").arg(from(format_bytes(device.memory_budget_bytes())));
  return DevicesPanel::tr("%1 of %2 used")
      .arg(from(format_bytes(device.memory_used_bytes())), from(format_bytes(device.memory_bytes())));
}

/// "12 of 64 (19 %)".
QString tiles_text(const Report& report, const Report::Share& share) {
  std::size_t all = 0;
  for (const auto& each : report.shares) all += each.tiles;
  if (all == 0) return QStringLiteral("0");
  return DevicesPanel::tr("%1 of %2 (%3 %)")
      .arg(share.tiles)
      .arg(all)
      .arg(100.0 * static_cast<double>(share.tiles) / static_cast<double>(all), 0, 'f', 0);
}

/// The fraction of the job's time in which the device's workers held tiles.
QString busy_text(const Report& report, const Report::Share& share, int workers) {
  if (report.seconds <= 0 || workers < 1) return {};
  return QStringLiteral("%1 %").arg(100 * share.busy_seconds / report.seconds / workers, 0, 'f', 0);
}

/// The position of a share's device in the pool, or -1. An engine of its own may have computed on the same
/// processor: then the name identifies it, if only one device has it.
int position(const dispatch::DevicePool& pool, const Report::Share& share) {
  const auto devices = pool.devices();
  auto found = std::ranges::find(devices, share.which);
  const auto named = [&](const Device* device) { return device->name() == share.device; };
  if (found == devices.end() && std::ranges::count_if(devices, named) == 1) {
    found = std::ranges::find_if(devices, named);
  }
  return found == devices.end() ? -1 : static_cast<int>(found - devices.begin());
}

std::vector<int> positions(const dispatch::DevicePool& pool, const Report& report) {
  std::vector<int> all;
  for (const auto& share : report.shares) all.push_back(position(pool, share));
  return all;
}

QLabel* make_label(const char* object_name) {
  auto* label = new QLabel;
  label->setObjectName(object_name);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

/// Skips unchanged cells, so that nothing flickers and screen readers do not repeat them.
void set_cell(QTreeWidgetItem* row, Column column, const QString& text) {
  if (row->text(column) == text) return;
  row->setText(column, text);
  row->setToolTip(column, text);
}

}  // namespace

/// Jobs elsewhere may still record reports while the panel is destroyed.
struct DevicesPanel::Listener {
  std::mutex mutex;
  DevicesPanel* panel = nullptr;
  bool posted = false;

  void report_came() {
    const std::scoped_lock lock(mutex);
    if (panel == nullptr || posted) return;
    posted = true;
    QMetaObject::invokeMethod(panel, &DevicesPanel::refresh_soon, Qt::QueuedConnection);
  }
};

QStringList share_names(const dispatch::DevicePool& pool, const Report& report) {
  QStringList names;
  const auto where = positions(pool, report);
  for (std::size_t i = 0; i < report.shares.size(); ++i) {
    const QString name = from(report.shares[i].device);
    names << (where[i] < 0 ? name : QStringLiteral("%1: %2").arg(where[i]).arg(name));
  }
  return names;
}

DevicesPanel::DevicesPanel(std::function<void(const std::string&)> run, QWidget* parent)
    : QWidget(parent),
      run_(std::move(run)),
      listener_(std::make_shared<Listener>()),
      splitter_(new QSplitter(Qt::Vertical)),
      table_(new QTreeWidget),
      notes_(make_label("devices.notes")),
      job_(make_label("devices.job")),
      timeline_(new TileTimeline),
      chosen_(make_label("devices.tile")),
      soon_(new QTimer(this)),
      clock_(new QTimer(this)) {
  listener_->panel = this;
  table_->setObjectName("devices");
  table_->setAccessibleName(tr("Devices"));
  table_->setHeaderLabels(
      {tr("No."), tr("Device"), tr("Kind"), tr("State"), tr("Tiles"), tr("Busy"), tr("Memory"), tr("Units")});
  table_->headerItem()->setToolTip(tiles, tr("How many tiles of the last job the device computed"));
  table_->headerItem()->setToolTip(busy,
                                   tr("Fraction of the last job's time during which the device held tiles"));
  table_->setRootIsDecorated(false);
  table_->setAlternatingRowColors(true);
  table_->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
  table_->setMinimumHeight(6 * fontMetrics().height());  // header, two devices, scroll bar
  table_->setContextMenuPolicy(Qt::CustomContextMenu);
  notes_->setText(tr("Looking for devices..."));
  timeline_->setContextMenuPolicy(Qt::CustomContextMenu);

  auto* machine = new QWidget;
  auto* upper = new QVBoxLayout(machine);
  upper->setContentsMargins(0, 0, 0, 0);
  upper->addWidget(table_, 1);
  upper->addWidget(notes_);
  auto* scroll = new QScrollArea;
  scroll->setWidget(timeline_);
  scroll->setWidgetResizable(true);
  scroll->setFocusPolicy(Qt::NoFocus);
  auto* last_job = new QWidget;
  auto* lower = new QVBoxLayout(last_job);
  lower->setContentsMargins(0, 0, 0, 0);
  lower->addWidget(job_);
  lower->addWidget(scroll, 1);
  lower->addWidget(chosen_);
  splitter_->addWidget(machine);
  splitter_->addWidget(last_job);
  splitter_->setChildrenCollapsible(false);
  splitter_->setStretchFactor(1, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 4, 4, 4);
  column->addWidget(splitter_);

  soon_->setSingleShot(true);
  soon_->setInterval(soon_ms);
  clock_->setInterval(clock_ms);
  connect(soon_, &QTimer::timeout, this, &DevicesPanel::refresh);
  connect(clock_, &QTimer::timeout, this, &DevicesPanel::refresh);
  connect(table_, &QWidget::customContextMenuRequested, this, &DevicesPanel::open_table_menu);
  connect(timeline_, &QWidget::customContextMenuRequested, this, &DevicesPanel::open_timeline_menu);
  connect(timeline_, &TileTimeline::tile_chosen, this, [this](int span) {
    chosen_->setText(span < 0 ? QString() : timeline_->describe(span));
    chosen_->setVisible(span >= 0);
  });
  chosen_->hide();
  job_->hide();
}

DevicesPanel::~DevicesPanel() {
  const std::scoped_lock lock(listener_->mutex);
  listener_->panel = nullptr;
}

void DevicesPanel::show_devices(std::shared_ptr<dispatch::DevicePool> devices) {
  devices_ = std::move(devices);
  subscription_ = devices_->on_record([listener = listener_] { listener->report_came(); });
  table_->clear();
  shown_.reset();
  refresh();
  give_columns_room();
  divide();
}

void DevicesPanel::refresh_soon() {
  {
    const std::scoped_lock lock(listener_->mutex);
    listener_->posted = false;
  }
  if (isVisible() && !soon_->isActive()) soon_->start();
}

void DevicesPanel::refresh() {
  if (devices_ == nullptr) return;
  const auto report = devices_->last_report();
  fill_table(report.get());
  show_notes();
  if (report == shown_) return;
  const bool first = !std::exchange(shown_, report);
  show_job(report);
  if (first) give_columns_room();
}

void DevicesPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
  clock_->start();
}

void DevicesPanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  clock_->stop();
}

void DevicesPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool wide = width() >= side_by_side_columns * fontMetrics().averageCharWidth();
  if (wide != (splitter_->orientation() == Qt::Horizontal)) divide();
}

/// Places table and timeline side by side if there is room, otherwise the table above in the height of its
/// rows.
void DevicesPanel::divide() {
  const bool wide = width() >= side_by_side_columns * fontMetrics().averageCharWidth();
  splitter_->setOrientation(wide ? Qt::Horizontal : Qt::Vertical);
  const int needed = splitter_->widget(0)->sizeHint().height();
  splitter_->setSizes(wide ? QList<int>{width() / 2, width() / 2} : QList<int>{needed, height() - needed});
}

void DevicesPanel::fill_table(const Report* report) {
  const auto devices = devices_->devices();
  const auto where = report != nullptr ? positions(*devices_, *report) : std::vector<int>();
  while (table_->topLevelItemCount() < static_cast<int>(devices.size())) new QTreeWidgetItem(table_);
  for (int i = 0; i < static_cast<int>(devices.size()); ++i) {
    const Device& device = *devices[static_cast<std::size_t>(i)];
    QTreeWidgetItem* row = table_->topLevelItem(i);
    set_cell(row, number, QString::number(i));
    set_cell(row, name, from(device.name()));
    set_cell(row, kind, kind_name(device.kind()));
    set_cell(row, detail, from(device.detail()));
    set_cell(row, memory, memory_text(device));
    const auto found = std::ranges::find(where, i);
    const auto* share =
        found == where.end() ? nullptr : &report->shares[static_cast<std::size_t>(found - where.begin())];
    set_cell(row, tiles, share == nullptr ? QString() : tiles_text(*report, *share));
    set_cell(row, busy, share == nullptr ? QString() : busy_text(*report, *share, device.concurrency()));
    const std::string aside = device.set_aside_because();
    QString text = tr("in use");
    if (share != nullptr && !share->error.empty()) text = tr("in use; last job: %1").arg(from(share->error));
    if (!aside.empty()) text = tr("disabled: %1").arg(from(aside));
    const bool fault = !aside.empty() || (share != nullptr && !share->error.empty());
    set_cell(row, state, text);
    row->setForeground(state, fault ? QBrush(warning_colour()) : palette().brush(QPalette::Text));
  }
}

void DevicesPanel::give_columns_room() {
  for (int i = 0; i < column_count; ++i) table_->resizeColumnToContents(i);
  const int most = longest_state * fontMetrics().averageCharWidth();
  const int large = fontMetrics().horizontalAdvance(tr("0000 of 0000 (100 %)")) + fontMetrics().height();
  table_->setColumnWidth(tiles, std::max(table_->columnWidth(tiles), large));
  table_->setColumnWidth(state, std::min(table_->columnWidth(state), most));
}

void DevicesPanel::show_notes() {
  QStringList lines;
  if (!devices_->why_no_gpu().empty()) lines << tr("No GPU: %1").arg(translated(devices_->why_no_gpu()));
  for (const auto& [topic, text] : devices_->notes()) {
    QString title = from(topic);
    title[0] = title[0].toUpper();
    lines << QStringLiteral("%1: %2").arg(title, from(text));
  }
  notes_->setText(lines.join('\n'));
  notes_->setVisible(!lines.isEmpty());
}

void DevicesPanel::show_job(const std::shared_ptr<const Report>& report) {
  timeline_->set_report(report, report == nullptr ? QStringList() : share_names(*devices_, *report));
  job_->setVisible(report != nullptr);
  if (report == nullptr) return;
  QStringList parts;
  if (!report->job.empty()) parts << from(report->job);
  parts << tr("%1 ms").arg(1e3 * report->seconds, 0, 'f', report->seconds < 0.1 ? 2 : 0);
  parts << tr("efficiency %1 %").arg(100 * report->efficiency(), 0, 'f', 0);
  if (const std::string how = report->how(); !how.empty()) parts << from(how);
  job_->setText(parts.join(QStringLiteral(" | ")));
}

void DevicesPanel::open_table_menu(const QPoint& place) {
  QTreeWidgetItem* row = table_->itemAt(place);
  if (row == nullptr) row = table_->currentItem();
  if (row == nullptr) return;
  const int position = table_->indexOfTopLevelItem(row);
  const bool in_use = devices_->devices()[static_cast<std::size_t>(position)]->set_aside_because().empty();
  auto* menu = new QMenu(this);
  menu->setObjectName("devices.menu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const std::string line = (in_use ? "device.disable " : "device.enable ") + std::to_string(position);
  menu->addAction(in_use ? tr("Disable device") : tr("Enable device"), this, [this, line] { run_(line); });
  menu->popup(table_->viewport()->mapToGlobal(place));
}

void DevicesPanel::open_timeline_menu(const QPoint& place) {
  auto* menu = new QMenu(this);
  menu->setObjectName("devices.menu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QAction* action =
      menu->addAction(tr("Export timeline..."), this, [this] { run_("devices.export-timeline"); });
  action->setEnabled(shown_ != nullptr);
  menu->popup(timeline_->mapToGlobal(place));
}

}  // namespace isolume::workbench

#include "moc_devices_panel.cpp"
