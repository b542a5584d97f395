// Prints what reading an image gives, for image_sweep.py: grid, sums over all voxels, remarks.
#include <cmath>
#include <exception>
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/remarks.h"
#include "core/dicom/frames/series.h"
#include "core/image_files/read_image.h"
#include "core/images/document.h"

namespace {

using namespace isolume;

nlohmann::ordered_json sums_of(const images::Volume& volume) {
  const auto& [width, height, depth] = volume.geometry.dimensions;
  double sum = 0, weighted = 0;
  std::size_t at = 0, finite = 0;
  for (int k = 0; k < depth; ++k) {
    for (int j = 0; j < height; ++j) {
      for (int i = 0; i < width; ++i, ++at) {
        const double value = volume.value(i, j, k);
        if (!std::isfinite(value)) continue;
        ++finite;
        sum += value;
        weighted += value * static_cast<double>(at % 1009);  // tells an order of voxels from another
      }
    }
  }
  return {{"finite", finite}, {"sum", sum}, {"weighted", weighted}};
}

nlohmann::ordered_json summary_of(const images::Document& document) {
  const auto& geometry = document.volume.geometry;
  nlohmann::ordered_json json{{"size", geometry.dimensions}, {"type", images::name_of(document.volume.type)}};
  const auto numbers = [](const auto& matrix) {
    return std::vector<double>(matrix.data(), matrix.data() + matrix.size());
  };
  json["origin_mm"] = numbers(geometry.origin);
  json["spacing_mm"] = numbers(geometry.spacing());
  json["direction_columns"] = numbers(geometry.directions());
  json["has_sides"] = geometry.has_sides();
  json["time_points"] = document.time.names;
  json["overlays"] = document.overlays.size();
  json.update(sums_of(document.volume));
  json["remarks"] = json_of(document.remarks);
  return json;
}

/// Each series of a folder, or the file.
nlohmann::ordered_json summaries_of(const std::filesystem::path& path) {
  auto all = nlohmann::ordered_json::array();
  const auto add = [&](const std::string& series, int files) {
    nlohmann::ordered_json json{{"series", series}, {"files", files}};
    try {
      json.update(summary_of(images::read_image(path, {.series_uid = series, .time_point = 0})));
    } catch (const std::exception& error) {
      json["error"] = error.what();
    }
    all.push_back(std::move(json));
  };
  if (!std::filesystem::is_directory(path)) {
    add("", 1);
    return all;
  }
  for (const auto& series : dicom::list_series(path)) add(series.uid, series.files);
  return all;
}

}  // namespace

int main(int count, char** arguments) {
  for (int at = 1; at < count; ++at) {
    nlohmann::ordered_json json{{"path", arguments[at]}};
    try {
      json["images"] = summaries_of(arguments[at]);
    } catch (const std::exception& error) {
      json["error"] = error.what();
    }
    std::cout << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  }
}
