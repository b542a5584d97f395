#include "app/batch/shares.h"

namespace isolume::batch {

nlohmann::ordered_json describe_shares(const dispatch::Report& report) {
  auto shares = nlohmann::ordered_json::array();
  for (const auto& share : report.shares) {
    nlohmann::ordered_json json{
        {"device", share.device}, {"tiles", share.tiles}, {"busy_seconds", share.busy_seconds}};
    if (!share.error.empty()) json["set_aside_because"] = share.error;
    shares.push_back(std::move(json));
  }
  return shares;
}

}  // namespace isolume::batch
