#include "app/batch/picture_options.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace isolume::batch {
namespace {

/// "1280x960"
void parse_size(std::string_view text, int& width, int& height) {
  constexpr int least = 16, most = 16384;
  const auto size = parse_pixel_size(text, least, most);
  if (!size) {
    throw Error(fmt::format("--size: expected WIDTHxHEIGHT in pixels, each {} to {}, found {}.", least, most,
                            quoted(text)));
  }
  std::tie(width, height) = *size;
}

}  // namespace

void add_picture_options(CLI::App& command, int& width, int& height, int& dpi, Context& context) {
  const auto set = [&width, &height](const std::string& text) { parse_size(text, width, height); };
  auto size = commands::text("size", width > 0 ? "Width and height in pixels"
                                               : "Width and height in pixels; without it, those of the file")
                  .shown_as("WxH")
                  .optional();
  if (width > 0) size.fallback = fmt::format("{}x{}", width, height);
  add_option(command, context, set, std::move(size));
  add_option(command, context, &dpi,
             commands::integer("dpi", "Resolution stored in the PNG, in dots per inch").range(1, 10000));
}

}  // namespace isolume::batch
