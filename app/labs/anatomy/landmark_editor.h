#pragma once

#include <QObject>
#include <QPointer>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "app/labs/anatomy/landmarks_panel.h"
#include "app/labs/anatomy/overlays.h"
#include "app/slices/slice_model.h"
#include "app/workbench/contract/lab.h"
#include "core/anatomy/alignment.h"
#include "core/anatomy/landmarks.h"

namespace isolume::labs::anatomy {

/// The landmark pairs of a lab: their commands with undo, their panel, and their marks over the slices, which are dragged.
///
/// A mark of the moving image lies where the present map shows its point, which is what a person sees there: where it is
/// dragged to is carried back by the same map.
class LandmarkEditor final : public QObject {
  Q_OBJECT
 public:
  LandmarkEditor(workbench::LabContext& context, slices::LinkedSlices& views, slices::SliceModel& model,
                 Overlays& overlays);

  const isolume::anatomy::LandmarkPairs& pairs() const { return pairs_; }
  /// Without names, which have no effect on a registration.
  isolume::anatomy::LandmarkPairs points() const;
  LandmarksPanel* make_panel();
  /// Another pair of images; landmarks stay with their images.
  void open(const isolume::anatomy::Pair* before, const isolume::anatomy::Pair& pair);
  /// The map so far; null: there is none yet.
  void show_map(std::shared_ptr<const isolume::anatomy::Placement> placement,
                std::shared_ptr<const isolume::anatomy::Alignment> alignment);
  nlohmann::json state() const;
  /// Throws JSON's exceptions.
  void restore(const nlohmann::json& state);

 Q_SIGNALS:
  void changed();

 private:
  /// Where a point of the fixed image lies in the moving one by the present map, and back.
  Eigen::Vector3d carried(const Eigen::Vector3d& fixed) const;
  Eigen::Vector3d shown_at(const Eigen::Vector3d& moving) const;
  void bind_commands();
  void bind_file_commands();
  void run(const std::string& name, std::vector<std::string> words = {});
  void read(const std::filesystem::path& fixed, const std::filesystem::path& moving);
  void write(const std::filesystem::path& path) const;
  /// One step of undo.
  void change(const QString& what, isolume::anatomy::LandmarkPairs pairs);
  void put(isolume::anatomy::LandmarkPairs pairs);
  void show();
  std::size_t index_of(std::int64_t number) const;

  workbench::LabContext& context_;
  QPointer<slices::LinkedSlices> views_;
  slices::SliceModel& model_;
  Overlays& overlays_;
  QPointer<LandmarksPanel> panel_;
  isolume::anatomy::LandmarkPairs pairs_;
  std::shared_ptr<const isolume::anatomy::Placement> placement_;
  std::shared_ptr<const isolume::anatomy::Alignment> alignment_;
};

}  // namespace isolume::labs::anatomy
