#pragma once

#include <string>

#include "core/anatomy/parameters.h"

namespace isolume::anatomy {

/// How the images of an atlas are deformed.
enum class AtlasModel {
  fluid,  ///< as DeformationModel::fluid
  lddmm   ///< as DeformationModel::lddmm
};

/// Parameters of an atlas, whose images are deformed by fluid registration or by geodesic flows.
struct AtlasParameters : FluidParameters {
  AtlasModel model = AtlasModel::fluid;
  int time_steps = 5;        ///< as DeformationParameters
  double regularity = 3e-5;  ///< as DeformationParameters
  double memory_gb = 0;      ///< for all images; more are streamed from disk. 0: what is available
  /// Of fluid steps: as dispatch::ComputeOptions.
  std::string engine = "auto", devices = "all";

  AtlasParameters() = default;
  /// Greedy fluid registration by these parameters.
  AtlasParameters(const FluidParameters& fluid) : FluidParameters(fluid) {}

  bool operator==(const AtlasParameters&) const = default;
};
const parameters::Schema<AtlasParameters>& atlas_schema();

}  // namespace isolume::anatomy
