#pragma once

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// --size WxH and --dpi of what draws a PNG; the values are the defaults at first and must outlive the parsing.
void add_picture_options(CLI::App& command, int& width, int& height, int& dpi, Context& context);

}  // namespace isolume::batch
