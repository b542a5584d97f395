#include "app/batch/picture_options.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace isolume::batch {
namespace {

/// "1280x960"
void parse_size(std::string_view text, int& width, int& height) {
  const auto number = [&](std::string_view part) {
    int value = 0;
    const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (failed != std::errc() || end != part.data() + part.size() || value < 16 || value > 16384) {
      throw Error(
          fmt::format("--size: expected WIDTHxHEIGHT in pixels, each 16 to 16384, found {}.", quoted(text)));
    }
    return value;
  };
  const std::size_t cross = std::min(text.find('x'), text.size());
  width = number(text.substr(0, cross));
  height = number(text.substr(std::min(cross + 1, text.size())));
}

}  // namespace

void add_picture_options(CLI::App& command, int& width, int& height, int& dpi, Context& context) {
  const auto set = [&width, &height](const std::string& text) { parse_size(text, width, height); };
  add_option(command, context, set,
             commands::text("size", "Width and height in pixels")
                 .shown_as("WxH")
                 .optional(fmt::format("{}x{}", width, height)));
  add_option(command, context, &dpi,
             commands::integer("dpi", "Resolution stored in the PNG, in dots per inch").range(1, 10000));
}

}  // namespace isolume::batch
