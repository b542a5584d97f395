#include "gpu/runtime/devices.h"

#include <ostream>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "core/dispatch/dispatch.h"
#include "gpu/register_engines.h"

namespace isolume::batch {
namespace {

using Json = nlohmann::ordered_json;

Json describe_cpu() {
  return {{"kind", "cpu"},
          {"name", dispatch::processor_name()},
          {"threads", dispatch::processor_threads()},
          {"memory_bytes", dispatch::available_memory_bytes()},
          {"usable", true}};
}

/// Usable means tried: a kernel ran there and gave the right numbers.
Json describe_gpu(const gpu::DeviceDescription& device) {
  const std::string fault = device.usable ? gpu::check_device(device.index) : device.unusable_because;
  Json json{{"kind", "gpu"},
            {"name", device.name},
            {"index", device.index},
            {"memory_bytes", device.memory_bytes},
            {"compute_capability", fmt::format("{}.{}", device.compute_major, device.compute_minor)},
            {"usable", fault.empty()}};
  if (!fault.empty()) json["unusable_because"] = fault;
  return json;
}

Json describe_devices() {
  Json json{{"devices", Json::array({describe_cpu()})}};
  for (const auto& device : gpu::describe_devices()) json["devices"].push_back(describe_gpu(device));
  const std::string why = gpu::why_no_devices();
  json["why_no_gpu"] = why.empty() ? Json() : Json(why);
  json["engines"] = Json::array();
  const auto engines = gpu::make_engines();
  for (const auto& engine : engines.engines()) {
    json["engines"].push_back({{"name", engine->name()}, {"description", engine->description()}});
  }
  return json;
}

void print_for_people(std::ostream& out, const Json& json) {
  for (const auto& device : json["devices"]) {
    out << fmt::format("{:<4}{}", device["kind"] == "cpu" ? "CPU" : "GPU", device["name"].get<std::string>());
    if (device.contains("threads")) out << fmt::format(", {} threads", device["threads"].get<int>());
    out << ", " << format_bytes(device["memory_bytes"].get<std::size_t>());
    if (device.contains("unusable_because")) out << ": " << device["unusable_because"].get<std::string>();
    out << '\n';
  }
  if (json["why_no_gpu"].is_string()) out << "No GPU: " << json["why_no_gpu"].get<std::string>() << '\n';
  for (const auto& engine : json["engines"]) {
    out << fmt::format("Engine {}: {}\n", engine["name"].get<std::string>(),
                       engine["description"].get<std::string>());
  }
}

}  // namespace

void add_devices(CLI::App& program, Context& context) {
  auto json = std::make_shared<bool>(false);
  auto* command = program.add_subcommand("devices", "What this machine can compute with.");
  command->add_flag("--json", *json, "Print JSON");
  command->callback([json, &context] {
    context.action = [json, &context] {
      const Json devices = describe_devices();
      if (*json) {
        print(context.out, devices);
      } else {
        print_for_people(context.out, devices);
      }
    };
  });
}

}  // namespace isolume::batch
