#pragma once

#include <QWidget>
#include <functional>
#include <memory>
#include <string>

#include "core/dispatch/dispatch.h"

class QLabel;
class QSplitter;
class QTimer;
class QTreeWidget;

namespace isolume::workbench {

class TileTimeline;

/// The devices of this machine and the work of each in the last job: a row per device, lines about the whole
/// machine (why there is no GPU, by which path pictures reach the screen), and the timeline of the last job's
/// tiles.
class DevicesPanel : public QWidget {
  Q_OBJECT
 public:
  /// `run` runs a command line ("device.disable 1").
  explicit DevicesPanel(std::function<void(const std::string& line)> run, QWidget* parent = nullptr);
  ~DevicesPanel() override;

  /// Shows these devices and their jobs from now on.
  void show_devices(std::shared_ptr<dispatch::DevicePool> devices);
  /// Reads everything again.
  void refresh();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Listener;

  void refresh_soon();
  void fill_table(const dispatch::Report* report);
  void divide();
  void give_columns_room();
  void show_notes();
  void show_job(const std::shared_ptr<const dispatch::Report>& report);
  void open_table_menu(const QPoint& place);
  void open_timeline_menu(const QPoint& place);

  std::function<void(const std::string&)> run_;
  std::shared_ptr<dispatch::DevicePool> devices_;
  std::shared_ptr<Listener> listener_;  ///< used by the pool's callback, which may outlive the panel
  std::shared_ptr<void> subscription_;
  std::shared_ptr<const dispatch::Report> shown_;

  QSplitter* splitter_;
  QTreeWidget* table_;
  QLabel* notes_;
  QLabel* job_;
  TileTimeline* timeline_;
  QLabel* chosen_;
  QTimer* soon_;   ///< combines several reports within its interval
  QTimer* clock_;  ///< memory and faults change without a report
};

/// The names of a report's shares as the panel numbers them: "1: NVIDIA H100".
QStringList share_names(const dispatch::DevicePool& pool, const dispatch::Report& report);

}  // namespace isolume::workbench
