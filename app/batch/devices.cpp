#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/batch/context.h"
#include "core/dispatch/dispatch.h"
#include "gpu/machine.h"

namespace isolume::batch {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_name(dispatch::DeviceKind kind) {
  switch (kind) {
    case dispatch::DeviceKind::cpu:
      return "cpu";
    case dispatch::DeviceKind::gpu:
      return "gpu";
    case dispatch::DeviceKind::emulated_gpu:
      return "emulated-gpu";
  }
  return "";
}

/// Why a device cannot be used, or empty. GPUs are tested by a kernel whose results must be right.
std::string fault_of(dispatch::Device& device) {
  const std::string aside = device.set_aside_because();
  return aside.empty() ? gpu::check_device(device) : aside;
}

Json describe(dispatch::Device& device, std::size_t position) {
  const std::string fault = fault_of(device);
  Json json{{"index", position},
            {"kind", kind_name(device.kind())},
            {"name", device.name()},
            {"detail", device.detail()}};
  if (device.kind() == dispatch::DeviceKind::cpu) json["threads"] = device.concurrency();
  if (device.memory_bytes() > 0) {
    json["memory_bytes"] = device.memory_bytes();
    json["memory_used_bytes"] = device.memory_used_bytes();
  }
  json["memory_budget_bytes"] = fault.empty() ? device.memory_budget_bytes() : 0;
  json["usable"] = fault.empty();
  if (!fault.empty()) json["unusable_because"] = fault;
  return json;
}

Json describe_devices(const std::vector<BatchLab>& labs) {
  const auto pool = gpu::make_device_pool();
  Json json{{"devices", Json::array()}};
  for (std::size_t i = 0; i < pool->devices().size(); ++i) {
    json["devices"].push_back(describe(*pool->devices()[i], i));
  }
  json["why_no_gpu"] = pool->why_no_gpu().empty() ? Json() : Json(pool->why_no_gpu());
  // Engines of GPUs load them; without a GPU they do not matter.
  if (pool->why_no_gpu().empty()) {
    json["libraries"] = Json::array();
    for (const auto& library : gpu::toolkit_libraries()) {
      json["libraries"].push_back(library.missing.empty()
                                      ? Json{{"name", library.name}, {"file", library.file}}
                                      : Json{{"name", library.name}, {"missing", library.missing}});
    }
  }
  json["engines"] = Json::array();
  for (const BatchLab& lab : labs) {
    if (!lab.engines) continue;
    for (auto& engine : lab.engines(pool)) json["engines"].push_back(std::move(engine));
  }
  return json;
}

std::string memory_text(const Json& device) {
  const std::string budget = format_bytes(device["memory_budget_bytes"].get<std::size_t>());
  if (!device.contains("memory_bytes")) return budget + " usable";
  return fmt::format("{}, {} usable", format_bytes(device["memory_bytes"].get<std::size_t>()), budget);
}

void print_for_people(std::ostream& out, const Json& json) {
  for (const auto& device : json["devices"]) {
    const std::string kind = device["kind"];
    out << fmt::format("{:>2} {:<12} {}", device["index"].get<int>(),
                       kind == "cpu" ? "CPU" : (kind == "gpu" ? "GPU" : "emulated GPU"),
                       device["name"].get<std::string>());
    if (const std::string detail = device["detail"]; !detail.empty()) out << ", " << detail;
    out << ", " << memory_text(device);
    if (device.contains("unusable_because")) {
      out << "; disabled: " << device["unusable_because"].get<std::string>();
    }
    out << '\n';
  }
  if (json["why_no_gpu"].is_string()) out << "No GPU: " << json["why_no_gpu"].get<std::string>() << '\n';
  for (const auto& library : json.value("libraries", Json::array())) {
    out << fmt::format("Library {}: {}\n", library["name"].get<std::string>(),
                       library.value("file", library.value("missing", std::string())));
  }
  for (const auto& engine : json["engines"]) {
    out << fmt::format("Engine {}: {}", engine["name"].get<std::string>(),
                       engine["description"].get<std::string>());
    const std::vector<std::string> kernels = engine["kernels"];
    if (!kernels.empty()) out << fmt::format("; kernels {}", fmt::join(kernels, ", "));
    out << '\n';
  }
}

}  // namespace

void add_devices(CLI::App& program, Context& context) {
  auto json = std::make_shared<bool>(false);
  auto& command = add_verb(program, "devices", "List the devices that this machine can compute with.");
  add_flag(command, "json", *json, "Print JSON");
  on_call(command, context, [json, &context] {
    const Json devices = describe_devices(context.labs);
    if (*json) {
      print(context.out, devices);
    } else {
      print_for_people(context.out, devices);
    }
  });
}

}  // namespace isolume::batch
