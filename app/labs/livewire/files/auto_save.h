#pragma once

#include <QLockFile>
#include <QObject>
#include <QTimer>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/contours/files.h"
#include "core/images/document.h"
#include "core/jobs/job_runner.h"

namespace isolume::labs::livewire {

class TracingModel;

/// Where the contours of an image are kept between starts: in the user's data folder, named after the series,
/// or after the file's path and the image's size.
std::filesystem::path auto_save_path(const images::Document& image);

/// What was kept of the image, or nothing; a damaged file is put aside (".damaged"), and a warning says so.
std::optional<contours::ContourSet> kept_contours(const images::Document& image, Remarks& remarks);

/// What was kept of the work on the image besides its contours: the shown slice and the unfinished trace. Null where
/// there is nothing, or nothing that can be read.
nlohmann::json kept_work(const images::Document& image);

/// Keeps the model's contours and the work on them: 0.1 s after the last change, by a job, and when it is destroyed. Of
/// several windows with one image only the first one keeps.
class AutoSave : public QObject {
  Q_OBJECT
 public:
  /// `work` returns what `kept_work` is to give back.
  AutoSave(TracingModel& model, jobs::JobRunner& jobs, std::function<nlohmann::json()> work);
  ~AutoSave() override;
  /// To be called when the result of `work` has changed.
  void work_changed();
  /// To be called before the model gets another image: saves what was changed and not saved yet, by a job.
  void leave_image() { submit(); }
  /// To be called after that: the model holds what the file has, or nothing yet. Returns a warning, or
  /// nothing.
  std::string enter_image();

 private:
  void submit();
  /// Null where there is nothing to save.
  std::function<void()> save_work();

  TracingModel& model_;
  jobs::JobRunner& jobs_;
  std::function<nlohmann::json()> work_;
  QTimer rest_;
  std::unique_ptr<QLockFile> lock_;  ///< on the image's file; null where another window has it
  /// Changes, and how many of them are in the file.
  struct Count {
    std::uint64_t changes = 0;
    std::shared_ptr<std::atomic<std::uint64_t>> saved = std::make_shared<std::atomic<std::uint64_t>>(0);
    bool all_saved() const { return changes == *saved; }
  };
  Count contours_, works_;
};

}  // namespace isolume::labs::livewire
