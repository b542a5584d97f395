#include "app/labs/livewire/files/auto_save.h"

#include <QCryptographicHash>
#include <QStandardPaths>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/labs/livewire/files/contour_formats.h"
#include "app/labs/livewire/tools/tracing_model.h"
#include "app/workbench/contract/translated.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/base/text_file.h"

namespace isolume::labs::livewire {
namespace {

constexpr int rest_ms = 100;

std::string why_not_kept(const std::filesystem::path& folder, const std::string& reason) {
  return workbench::said(
      QObject::tr("Autosave is off: %1 is not writable (%2). Save contours with livewire.contours.save."),
      folder.string(), reason);
}

/// Apart from the contours, which would otherwise be written anew whenever another slice is shown.
std::filesystem::path work_path(const images::Document& image) {
  return auto_save_path(image).replace_extension(".work");
}

}  // namespace

std::filesystem::path auto_save_path(const images::Document& image) {
  const auto& size = image.volume.geometry.dimensions;
  std::string name = image.dicom ? image.dicom->series_key : std::string();
  if (name.empty()) name = std::filesystem::absolute(image.path).lexically_normal().string();
  name += fmt::format("|{}x{}x{}", size[0], size[1], size[2]);
  const auto hash = QCryptographicHash::hash(QByteArray::fromStdString(name), QCryptographicHash::Sha256);
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  return std::filesystem::path(folder.toStdString()) / "livewire" /
         (hash.toHex().left(32).toStdString() + ".json");
}

std::optional<contours::ContourSet> kept_contours(const images::Document& image, Remarks& remarks) {
  const std::filesystem::path path = auto_save_path(image);
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return std::nullopt;
  try {
    contours::ContourDocument kept = contours::read_contours(path);
    remarks.add(kept.remarks);
    return std::move(kept.set);
  } catch (const Error& error) {
    auto aside = path;
    aside += ".damaged";
    std::filesystem::rename(path, aside, failed);
    remarks.warn(
        workbench::said(QObject::tr("The autosaved contours could not be read and were renamed to %1: %2"),
                        aside.string(), error.what()));
    return std::nullopt;
  }
}

nlohmann::json kept_work(const images::Document& image) {
  constexpr std::size_t largest = std::size_t{16} << 20;
  const auto path = work_path(image);
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return {};
  try {
    return nlohmann::json::parse(read_text_file(path, largest));
  } catch (const std::exception& error) {
    log::error("{} could not be read: {}", path.string(), error.what());
    return {};
  }
}

AutoSave::AutoSave(TracingModel& model, jobs::JobRunner& jobs, std::function<nlohmann::json()> work)
    : model_(model), jobs_(jobs), work_(std::move(work)) {
  rest_.setSingleShot(true);
  rest_.setInterval(rest_ms);
  connect(&rest_, &QTimer::timeout, this, &AutoSave::submit);
  connect(&model_, &TracingModel::contours_changed, this, [this] {
    ++contours_.changes;
    rest_.start();
  });
}

void AutoSave::work_changed() {
  ++works_.changes;
  rest_.start();
}

AutoSave::~AutoSave() {
  try {
    if (const auto work = save_work()) work();
  } catch (const std::exception& error) {
    log::error("The contours could not be autosaved: {}", error.what());
  }
}

std::string AutoSave::enter_image() {
  rest_.stop();
  contours_ = {};
  works_ = {};
  auto path = auto_save_path(*model_.image());
  lock_.reset();  // where the same image was opened again it is free now
  std::error_code failed;
  make_private_folder(path.parent_path(), failed);
  if (failed) return why_not_kept(path.parent_path(), failed.message());
  path += ".lock";
  lock_ = std::make_unique<QLockFile>(QString::fromStdString(path.string()));
  lock_->setStaleLockTime(0);  // held as long as its program runs
  if (lock_->tryLock(0)) return {};
  const bool elsewhere = lock_->error() == QLockFile::LockFailedError;
  lock_.reset();
  if (!elsewhere)
    return why_not_kept(path.parent_path(), workbench::said(QObject::tr("no file can be created there")));
  return workbench::said(
      QObject::tr("Autosave is off in this window: the image is open in another window, which saves its "
                  "contours. Save contours with livewire.contours.save."));
}

std::function<void()> AutoSave::save_work() {
  rest_.stop();
  if (lock_ == nullptr || (contours_.all_saved() && works_.all_saved())) return {};
  return [image = model_.image(), set = model_.contours(), work = work_(), contours = contours_,
          works = works_] {
    if (!contours.all_saved()) {
      contours::write_contours({set, reference_of(*image)}, auto_save_path(*image),
                               AtomicFile::Readers::owner);
      *contours.saved = contours.changes;
    }
    if (!works.all_saved()) {
      AtomicFile file(work_path(*image), AtomicFile::Readers::owner);
      file.stream() << work.dump() << '\n';
      file.commit();
      *works.saved = works.changes;
    }
  };
}

void AutoSave::submit() {
  if (const auto work = save_work()) {
    // One at a time, so that an older state never lands on a newer one.
    jobs_.submit(
        workbench::said(QObject::tr("Autosave the contours")),
        "livewire.keep " + auto_save_path(*model_.image()).string(),
        [work](const jobs::Progress&) { work(); }, jobs::Waited::by_nobody);
  }
}

}  // namespace isolume::labs::livewire

#include "moc_auto_save.cpp"
