#include "core/base/logging.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace isolume::log {
namespace {

struct Listeners {
  std::mutex mutex;
  std::map<int, std::function<void(const Entry&)>> by_token;
  int next = 1;
};

Listeners& listeners() {
  static Listeners instance;
  return instance;
}

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made =
        std::make_shared<spdlog::logger>("isolume", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("%H:%M:%S.%e %^%l%$ %v");
    if (const char* wanted = std::getenv("ISOLUME_LOG")) made->set_level(spdlog::level::from_str(wanted));
    return made;
  }();
  return *instance;
}

}  // namespace

void write(Level level, std::string_view text) {
  logger().log(to_spdlog(level), text);
  if (!logger().should_log(to_spdlog(level))) return;
  const Entry entry{level, std::string(text)};
  auto& all = listeners();
  const std::scoped_lock lock(all.mutex);
  for (const auto& [token, listener] : all.by_token) listener(entry);
}

void set_level(Level level) {
  if (std::getenv("ISOLUME_LOG") == nullptr) logger().set_level(to_spdlog(level));
}

int listen(std::function<void(const Entry&)> listener) {
  auto& all = listeners();
  const std::scoped_lock lock(all.mutex);
  all.by_token.emplace(all.next, std::move(listener));
  return all.next++;
}

void unlisten(int token) {
  auto& all = listeners();
  const std::scoped_lock lock(all.mutex);
  all.by_token.erase(token);
}

}  // namespace isolume::log
