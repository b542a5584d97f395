#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <cstddef>
#include <memory>
#include <optional>

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include "app/workbench/contract/lab.h"
#include "core/nbody/bodies/orbital_elements.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::labs::nbody {

/// What is probed: of which moment, on which body with its orbit about what, at which place.
struct ProbeRequest {
  std::shared_ptr<const isolume::nbody::NBodyFrame> frame;
  std::optional<std::size_t> body = std::nullopt;
  std::optional<Eigen::Vector3d> place = std::nullopt;
  isolume::nbody::OrbitAbout about = isolume::nbody::OrbitAbout::tightest;
  bool operator==(const ProbeRequest&) const = default;
};

/// Follows with jobs, one after the other, what is shown. On the GUI thread.
class ForceProbe final : public QObject {
  Q_OBJECT
 public:
  using Engines = std::shared_ptr<const isolume::nbody::EngineRegistry>;

  explicit ForceProbe(const workbench::LabContext& context) : context_(context) {}

  /// Of what comes while a job is at work, the last one is next. While time runs, moments are passed over: so many that a
  /// tenth of the time goes into it at most. Does nothing for what was asked for last.
  void ask(const ProbeRequest& wanted, const Engines& engines, bool time_runs);

 Q_SIGNALS:
  /// As force_on with "step" and "orbit" (orbit_of), and as force_at; null where it was not asked for.
  void found(const nlohmann::json& on_body, const nlohmann::json& at_place);

 private:
  struct Due {
    ProbeRequest wanted;
    Engines engines;
  };
  void begin(Due due);
  void end();

  const workbench::LabContext& context_;
  ProbeRequest asked_;  ///< last
  bool at_work_ = false, answered_ = false;
  std::optional<Due> next_;  ///< when that job has ended
  QElapsedTimer begun_, ended_;
  double busy_ms_ = 0;  ///< that the last one took
};

}  // namespace isolume::labs::nbody
