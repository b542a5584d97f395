#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "core/contours/files.h"
#include "core/images/document.h"
#include "core/jobs/job_runner.h"

namespace isolume::labs::livewire {

class TracingModel;

contours::ImageReference reference_of(const images::Document& image);

/// Where the contours of an image are kept between starts: in the user's data folder, named after the series,
/// or after the file's path and the image's size.
std::filesystem::path auto_save_path(const images::Document& image);

/// What was kept of the image, or nothing; a damaged file is put aside (".damaged"), and a warning says so.
std::optional<contours::ContourSet> kept_contours(const images::Document& image, std::string& warning);

/// Keeps the model's contours: a second after the last change, by a job, and when it is destroyed.
class AutoSave : public QObject {
  Q_OBJECT
 public:
  AutoSave(TracingModel& model, jobs::JobRunner& jobs);
  ~AutoSave() override;
  /// What was changed and not saved yet, at once. To be called before the model gets another image.
  void save_now();
  /// The model holds what the file has, or nothing yet.
  void forget_changes();

 private:
  void submit();
  /// Null where there is nothing to save.
  std::function<void()> save_work();

  TracingModel& model_;
  jobs::JobRunner& jobs_;
  QTimer rest_;
  std::uint64_t changes_ = 0;
  std::shared_ptr<std::atomic<std::uint64_t>> saved_;  ///< how many of them are in the file
};

}  // namespace isolume::labs::livewire
