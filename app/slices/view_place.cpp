#include "app/slices/view_place.h"

#include <QObject>

#include "app/slices/linked_slices.h"
#include "app/slices/slice_model.h"
#include "core/base/error.h"

namespace isolume::slices {

ViewPlace place_of(const SliceModel& model, LinkedSlices* views) {
  ViewPlace place{.slice = model.slice(), .cursor_mm = model.cursor_mm(), .window = std::nullopt};
  if (views != nullptr && model.image() != nullptr) place.window = views->large().window();
  return place;
}

void go_to(const ViewPlace& place, SliceModel& model, LinkedSlices* views) {
  model.set_slice(place.slice);
  model.set_cursor(place.cursor_mm);
  if (place.window && views != nullptr) views->set_window(*place.window);
}

nlohmann::json to_json(const ViewPlace& place) {
  const Eigen::Vector3d& cursor = place.cursor_mm;
  nlohmann::json json{{"slice", {{"axis", place.slice.axis}, {"index", place.slice.index}}},
                      {"cursor_mm", {cursor.x(), cursor.y(), cursor.z()}}};
  if (place.window) json["window"] = {{"centre", place.window->centre}, {"width", place.window->width}};
  return json;
}

ViewPlace view_place_of(const nlohmann::json& json) {
  const nlohmann::json &slice = json.at("slice"), &cursor = json.at("cursor_mm");
  ViewPlace place{
      .slice = {slice.at("axis").get<int>(), slice.at("index").get<int>()},
      .cursor_mm = {cursor.at(0).get<double>(), cursor.at(1).get<double>(), cursor.at(2).get<double>()},
      .window = std::nullopt};
  if (place.slice.axis < 0 || place.slice.axis > 2)
    throw Error(QObject::tr("There is no such axis.").toStdString());
  if (const auto window = json.find("window"); window != json.end()) {
    place.window = images::Window{window->at("centre").get<double>(), window->at("width").get<double>(), {}};
    if (!(place.window->width > 0))
      throw Error(QObject::tr("The window's width is not above 0.").toStdString());
  }
  return place;
}

}  // namespace isolume::slices
