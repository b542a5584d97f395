#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/remarks.h"
#include "core/contours/contour.h"
#include "core/dicom/frames/series.h"
#include "core/images/document.h"
#include "core/jobs/progress.h"

class QWidget;

namespace isolume::labs::livewire {

/// What comes of opening a file or folder: an image with its kept contours, or several series to choose from.
struct OpenedImage {
  std::shared_ptr<const images::Document> image;  ///< null where there is a choice
  images::ValueRange values;  ///< least and greatest; of a mapped file those about its first window
  contours::ContourSet contours;
  nlohmann::json work;  ///< kept_work
  Remarks remarks;
  std::vector<dicom::Series> series;
};
/// `series_uid` may be empty. Throws as images::read_image does.
OpenedImage open_image(const std::filesystem::path& path, const std::string& series_uid,
                       const jobs::Progress& progress);

/// Asks which series to open, without blocking; `take` gets its UID.
void ask_for_series(QWidget* parent, const std::vector<dicom::Series>& series,
                    std::function<void(const std::string& uid)> take);

/// Tells that the open file is one of a series that lies beside it, without blocking; `take` is called where
/// the person wants the series.
void offer_series(QWidget* parent, const dicom::Series& series, std::function<void()> take);

}  // namespace isolume::labs::livewire
