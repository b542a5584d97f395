#include "app/workbench/exports/movie_request.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/pictures/movie_limits.h"
#include "app/pictures/movie_writer.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/exports/export_image_dialog.h"
#include "core/parameters/relevance.h"

namespace isolume::workbench {
namespace {

constexpr double turn_seconds = 8;

using Settings = std::map<std::string, std::string, std::less<>>;

Settings settings_of(std::span<const std::string> words) {
  static const std::vector<std::string> known{"from", "to", "seconds", "fps", "size", "name"};
  Settings settings;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos || std::ranges::find(known, name) == known.end()) {
      throw Error(
          said(QObject::tr(
                   "file.export-movie: %1 is not a setting. The settings are %2; write each as NAME=VALUE."),
               isolume::quoted(word), fmt::format("{}", fmt::join(known, ", "))));
    }
    settings[name] = word.substr(equals + 1);
  }
  return settings;
}

/// Replaces `value` by the setting, if present.
void take_number(const Settings& settings, const char* name, double low, double high, double& value) {
  const auto found = settings.find(name);
  if (found == settings.end()) return;
  parameters::Description description;
  description.key = name;
  description.low = low;
  description.high = high;
  value = std::get<double>(parameters::validated(description, parameters::parse(description, found->second)));
}

void take_passage(Lab& lab, MovieRequest& request) {
  const auto passage = lab.passage();
  if (!passage) {
    throw Error(said(QObject::tr("There is nothing to play here. Choose turn or parameter instead.")));
  }
  request.from = passage->from;
  request.to = passage->to;
  request.seconds = passage->seconds;
}

void take_turn(Lab& lab, MovieRequest& request) {
  if (!lab.has_camera())
    throw Error(said(QObject::tr("This lab has no camera to turn. Choose time or parameter instead.")));
  constexpr double whole = 360;
  request.to = whole;
  request.seconds = turn_seconds;
}

void take_parameter(Lab& lab, const Settings& settings, MovieRequest& request) {
  const auto name = settings.find("name");
  const auto known = sweepable_parameters(lab);
  if (name == settings.end() || std::ranges::find(known, name->second) == known.end()) {
    throw Error(said(QObject::tr("These parameters can be swept: %1. Give one with name=."),
                     fmt::format("{}", fmt::join(known, ", "))));
  }
  request.parameter = name->second;
  const auto description = lab.parameters()->description(request.parameter);
  const auto range = description.usual.value_or(parameters::Range{description.low, description.high});
  request.from = range.low;
  request.to = range.high;
  request.seconds = sweep_seconds;
}

void take_size(const Settings& settings, MovieRequest& request) {
  const auto size = settings.find("size");
  if (size == settings.end()) return;
  try {
    std::tie(request.width, request.height) = parse_image_size(size->second);
  } catch (const Error&) {  // its message is about images
    throw Error(said(QObject::tr("size=%1: give the width and height in pixels, for example size=1280x720."),
                     size->second));
  }
}

}  // namespace

int MovieRequest::frames() const {
  return std::max(1, static_cast<int>(std::lround(seconds * frames_per_second)));
}

MovieRequest movie_request(Lab& lab, const std::filesystem::path& path, const std::string& over,
                           std::span<const std::string> words) {
  const Settings settings = settings_of(words);
  MovieRequest request{.path = path, .parameter = {}};
  pictures::codec_of(path);  // throws
  request.over = over == "turn"        ? MovieRequest::Over::turn
                 : over == "parameter" ? MovieRequest::Over::parameter
                                       : MovieRequest::Over::time;
  double low = -HUGE_VAL, high = HUGE_VAL;
  switch (request.over) {
    case MovieRequest::Over::time:
      take_passage(lab, request);
      break;
    case MovieRequest::Over::turn:
      take_turn(lab, request);
      break;
    case MovieRequest::Over::parameter:
      take_parameter(lab, settings, request);
      low = lab.parameters()->description(request.parameter).low;
      high = lab.parameters()->description(request.parameter).high;
      break;
  }
  take_number(settings, "from", low, high, request.from);
  take_number(settings, "to", low, high, request.to);
  take_number(settings, "seconds", 0, pictures::longest_movie_seconds, request.seconds);
  double rate = request.frames_per_second;
  take_number(settings, "fps", 1, pictures::highest_movie_rate, rate);
  request.frames_per_second = static_cast<int>(std::lround(rate));
  if (request.frames_per_second != rate)
    throw Error(said(QObject::tr("fps=%1: give a whole number of frames per second."), rate));
  take_size(settings, request);
  if (!std::isfinite(request.from) || !std::isfinite(request.to))
    throw Error(
        said(QObject::tr("%1 has no default range. Give the start and end of the movie with from= and to=."),
             request.parameter));
  return request;
}

std::vector<std::string> words_of(const MovieRequest& request) {
  using Over = MovieRequest::Over;
  std::vector<std::string> words{request.path.string(), request.over == Over::time   ? "time"
                                                        : request.over == Over::turn ? "turn"
                                                                                     : "parameter"};
  if (!request.parameter.empty()) words.push_back("name=" + request.parameter);
  words.push_back(fmt::format("from={}", request.from));
  words.push_back(fmt::format("to={}", request.to));
  words.push_back(fmt::format("seconds={}", request.seconds));
  words.push_back(fmt::format("fps={}", request.frames_per_second));
  words.push_back(fmt::format("size={}x{}", request.width, request.height));
  return words;
}

std::vector<std::string> sweepable_parameters(Lab& lab) {
  std::vector<std::string> keys;
  const parameters::ParameterSet* set = lab.parameters();
  if (set == nullptr) return keys;
  const auto descriptions = set->descriptions();
  const auto relevant = parameters::relevant_keys(*set, descriptions);
  for (const auto& each : descriptions) {
    const bool number = each.kind == parameters::Kind::real || each.kind == parameters::Kind::integer;
    if (number && lab.can_sweep(each.key) && relevant.contains(each.key)) keys.push_back(each.key);
  }
  return keys;
}

}  // namespace isolume::workbench
