#pragma once

#include <QStringList>
#include <QWidget>
#include <functional>
#include <string>
#include <vector>

#include "app/workbench/contract/lab.h"

class QCommandLinkButton;
class QVBoxLayout;

namespace isolume::workbench {

/// The page shown before anything is open: the labs with a tile for each sample, the recent files, and
/// instructions for opening a file.
class WelcomePage : public QWidget {
  Q_OBJECT
 public:
  WelcomePage(const std::vector<const LabDescription*>& labs,
              std::function<void(const std::string& line)> run, QWidget* parent = nullptr);
  void show_recent(const QStringList& files);
  /// A button that restores a session, with this text; empty: there is none.
  void offer_session(const QString& what);

 private:
  QWidget* make_tiles(const std::vector<Sample>& samples);
  /// For labs that need no file.
  QWidget* make_lab_tiles(const std::vector<const LabDescription*>& labs);

  std::function<void(const std::string& line)> run_;
  QCommandLinkButton* session_;
  QWidget* recent_;
  QVBoxLayout* recent_files_;
};

}  // namespace isolume::workbench
