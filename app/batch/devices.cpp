#include <ostream>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "core/dispatch/dispatch.h"
#include "gpu/machine.h"

namespace isolume::batch {
namespace {

using Json = nlohmann::ordered_json;

Json describe_cpu(const dispatch::Device& cpu) {
  return {{"kind", "cpu"},
          {"name", cpu.name()},
          {"threads", cpu.concurrency()},
          {"memory_bytes", cpu.memory_budget_bytes()},
          {"usable", true}};
}

/// Usable means tried: a kernel ran there and gave the right numbers.
Json describe_gpu(dispatch::Device& device, std::size_t position) {
  const std::string aside = device.set_aside_because();
  const std::string fault = aside.empty() ? gpu::check_device(device) : aside;
  Json json{{"kind", "gpu"},
            {"name", device.name()},
            {"index", position},
            {"memory_bytes", device.memory_bytes()},
            {"detail", device.detail()},
            {"usable", fault.empty()}};
  if (!fault.empty()) json["unusable_because"] = fault;
  return json;
}

Json describe_devices() {
  const auto pool = gpu::make_device_pool();
  Json json{{"devices", Json::array()}};
  for (std::size_t i = 0; i < pool->devices().size(); ++i) {
    auto& device = *pool->devices()[i];
    json["devices"].push_back(device.kind() == dispatch::DeviceKind::cpu ? describe_cpu(device)
                                                                         : describe_gpu(device, i));
  }
  json["why_no_gpu"] = pool->why_no_gpu().empty() ? Json() : Json(pool->why_no_gpu());
  json["engines"] = Json::array();
  const auto engines = gpu::make_engines(pool);
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
