#include "core/flames/describe.h"

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/benchmark/repeats.h"
#include "core/flames/variations.h"

namespace isolume::flames {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Affine& m) {
  return {m.a, m.b, m.c, m.d, m.e, m.f};
}

Json json_of(const Function& function) {
  Json terms = Json::object();
  for (const auto& term : function.terms) {
    Json entry{{"amount", term.amount}};
    const auto& parameters = info(term.variation).parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      entry[std::string(parameters[i].name)] = term.parameters[i];
    terms[std::string(info(term.variation).name)] = entry;
  }
  return {{"weight", function.weight},
          {"colour", function.colour},
          {"colour_speed", function.colour_speed},
          {"opacity", function.opacity},
          {"animated", function.animated},
          {"affine", json_of(function.affine)},
          {"post", json_of(function.post)},
          {"variations", terms}};
}

double sum_of_weights(const Flame& flame) {
  double sum = 0;
  for (const auto& function : flame.functions) sum += function.weight;
  return sum;
}

Json rate(const benchmarks::Timing& timing, std::int64_t points) {
  return {{"points_per_second", 1e3 * static_cast<double>(points) / timing.median_ms},
          {"timing", benchmarks::to_json(timing)}};
}

}  // namespace

Json json_of(const Flame& flame) {
  Json functions = Json::array();
  for (const auto& function : flame.functions) {
    Json entry = json_of(function);
    entry["probability"] = function.weight / sum_of_weights(flame);
    functions.push_back(std::move(entry));
  }
  const auto& [width, height, x, y, scale, zoom, rotation] = flame.view;
  Json json{{"name", flame.name}, {"functions", std::move(functions)}};
  if (flame.final_transform) json["final_transform"] = json_of(*flame.final_transform);
  json["view"] = {{"width", width}, {"height", height},        {"x", x}, {"y", y}, {"scale", scale},
                  {"zoom", zoom},   {"rotation_deg", rotation}};
  json["tone"] = {{"brightness", flame.tone.brightness},
                  {"gamma", flame.tone.gamma},
                  {"gamma_threshold", flame.tone.gamma_threshold},
                  {"vibrancy", flame.tone.vibrancy},
                  {"estimator_radius", flame.tone.estimator_radius},
                  {"background", flame.tone.background}};
  json["quality"] = flame.quality;
  return json;
}

std::string text_of(const Flame& flame) {
  std::string text = fmt::format("{}: {}\n", flame.name.empty() ? "Flame" : flame.name,
                                 counted(flame.functions.size(), "function"));
  const auto add = [&](const std::string& which, const Function& function) {
    text += which;
    for (const auto& term : function.terms)
      text += fmt::format(" {} {:.4g}", info(term.variation).name, term.amount);
    text += '\n';
  };
  for (std::size_t i = 0; i < flame.functions.size(); ++i) {
    const auto& function = flame.functions[i];
    add(fmt::format("  {}: {:.1f} %, colour {:.2f},", i + 1, 100 * function.weight / sum_of_weights(flame),
                    function.colour),
        function);
  }
  if (flame.final_transform) add("  final transform:", *flame.final_transform);
  return text;
}

Json json_of(const Rendered& rendered) {
  return {{"width", rendered.picture.width}, {"height", rendered.picture.height},
          {"points", rendered.points},       {"points_per_pixel", rendered.points_per_pixel},
          {"in_view", rendered.in_view},     {"points_per_second", rendered.points_per_second},
          {"engine", rendered.report.by()}};
}

std::string text_of(const Rendered& rendered) {
  return fmt::format("{:.3g} million points, {:.3g} million/s, {}",
                     1e-6 * static_cast<double>(rendered.points), 1e-6 * rendered.points_per_second,
                     rendered.report.by());
}

Json benchmark(const std::vector<const Engine*>& engines, const Flame& flame, std::int64_t clouds,
               const dispatch::ComputeOptions& options, const jobs::Progress& progress) {
  constexpr benchmarks::RepeatOptions repeats{0.5, 5};
  const Game game = compile(flame, flame.view);
  const std::int64_t points = clouds * points_per_cloud;
  // An eighth of the points: the serial game is that much slower.
  const std::int64_t serial_points = points / 8;
  const auto serial = benchmarks::time_repeats(repeats, [&] {
    const auto begin = std::chrono::steady_clock::now();
    play_serially(flame, flame.view, serial_points, 1, progress);
    return milliseconds_since(begin);
  });
  Json json{{"flame", flame.name}, {"points", points}, {"engines", Json::array()}};
  const double serial_rate = static_cast<double>(serial_points) / serial.median_ms;
  for (const Engine* engine : engines) {
    Tally tally(flame.view.width, flame.view.height);
    dispatch::ComputeOptions own = options;
    own.engine = engine->name();
    const auto timing = benchmarks::time_repeats(repeats, [&] {
      const auto begin = std::chrono::steady_clock::now();
      engine->play(game, {0, clouds}, tally, own, progress);
      return milliseconds_since(begin);
    });
    Json entry{{"name", engine->name()}, {"description", engine->description(options.threads)}};
    entry.update(rate(timing, points));
    entry["serial_ratio"] = static_cast<double>(points) / timing.median_ms / serial_rate;
    json["engines"].push_back(std::move(entry));
  }
  json["serial"] = rate(serial, serial_points);
  // From a change to the first picture, at the size of the flame's view.
  Renderer::Engines cpu;
  cpu.add(make_cpu_engine());
  RenderRequest request{.flame = flame, .view = flame.view, .quality = 5};
  request.compute.threads = options.threads;
  const auto first_picture = benchmarks::time_repeats(repeats, [&] {
    double first_ms = 0;
    const auto begin = std::chrono::steady_clock::now();
    const auto publish = [&](Rendered&&) {
      if (first_ms == 0) first_ms = milliseconds_since(begin);
    };
    Renderer().render(cpu, request, publish, progress);
    return first_ms;
  });
  json["first_picture"] = {{"width", flame.view.width},
                           {"height", flame.view.height},
                           {"timing", benchmarks::to_json(first_picture)}};
  return json;
}

std::vector<std::string> lines_of(const Json& benchmark) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& name, const Json& entry) {
    lines.push_back(fmt::format("{:<40} {:8.1f} million points/s", name,
                                1e-6 * entry.at("points_per_second").get<double>()));
  };
  add("serial chaos game, double precision", benchmark.at("serial"));
  for (const auto& engine : benchmark.at("engines")) {
    add(engine.at("description").get<std::string>(), engine);
    lines.back() += fmt::format(", {:.1f} times the serial game", engine.at("serial_ratio").get<double>());
  }
  const auto& first = benchmark.at("first_picture");
  lines.push_back(fmt::format("first picture, {} x {}: {:.0f} ms", first.at("width").get<int>(),
                              first.at("height").get<int>(),
                              first.at("timing").at("median_ms").get<double>()));
  return lines;
}

}  // namespace isolume::flames
