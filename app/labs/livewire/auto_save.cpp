#include "app/labs/livewire/auto_save.h"

#include <QCryptographicHash>
#include <QStandardPaths>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/labs/livewire/tracing_model.h"
#include "core/base/error.h"
#include "core/base/logging.h"

namespace isolume::labs::livewire {
namespace {

constexpr int rest_ms = 1000;

}  // namespace

contours::ImageReference reference_of(const images::Document& image) {
  return {.path = image.path.string(),
          .series_uid = image.dicom ? image.dicom->series_uid : std::string(),
          .geometry = image.volume.geometry};
}

std::filesystem::path auto_save_path(const images::Document& image) {
  const auto& size = image.volume.geometry.size;
  std::string name = image.dicom ? image.dicom->series_uid : std::string();
  if (name.empty()) name = std::filesystem::absolute(image.path).lexically_normal().string();
  name += fmt::format("|{}x{}x{}", size[0], size[1], size[2]);
  const auto hash = QCryptographicHash::hash(QByteArray::fromStdString(name), QCryptographicHash::Sha256);
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  return std::filesystem::path(folder.toStdString()) / "livewire" /
         (hash.toHex().left(32).toStdString() + ".json");
}

std::optional<contours::ContourSet> kept_contours(const images::Document& image, std::string& warning) {
  const std::filesystem::path path = auto_save_path(image);
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return std::nullopt;
  try {
    return contours::read_session(path).set;
  } catch (const Error& error) {
    auto aside = path;
    aside += ".damaged";
    std::filesystem::rename(path, aside, failed);
    warning = fmt::format("The kept contours could not be read and were put aside as {}: {}", aside.string(),
                          error.what());
    return std::nullopt;
  }
}

AutoSave::AutoSave(TracingModel& model, jobs::JobRunner& jobs)
    : model_(model), jobs_(jobs), saved_(std::make_shared<std::atomic<std::uint64_t>>(0)) {
  rest_.setSingleShot(true);
  rest_.setInterval(rest_ms);
  connect(&rest_, &QTimer::timeout, this, &AutoSave::submit);
  connect(&model_, &TracingModel::contours_changed, this, [this] {
    ++changes_;
    rest_.start();
  });
}

AutoSave::~AutoSave() {
  try {
    save_now();
  } catch (const std::exception& error) {
    log::error("The contours could not be kept: {}", error.what());
  }
}

std::function<void()> AutoSave::save_work() {
  rest_.stop();
  if (changes_ == *saved_ || model_.image() == nullptr) return {};
  return [image = model_.image(), set = model_.contours(), saved = saved_, changes = changes_] {
    const auto path = auto_save_path(*image);
    std::filesystem::create_directories(path.parent_path());
    contours::write_session({set, reference_of(*image)}, path);
    *saved = changes;
  };
}

void AutoSave::save_now() {
  if (const auto work = save_work()) work();
}

void AutoSave::forget_changes() {
  rest_.stop();
  *saved_ = changes_;
}

void AutoSave::submit() {
  if (const auto work = save_work()) {
    // One at a time, so that an older state never lands on a newer one.
    jobs_.submit("Keep the contours", "livewire.keep", [work](const jobs::Progress&) { work(); });
  }
}

}  // namespace isolume::labs::livewire
