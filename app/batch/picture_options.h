#pragma once

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// Adds --size WxH and --dpi to a verb that draws a PNG. The current values are the defaults, and a width of 0
/// that of the file; the variables must outlive the parsing.
void add_picture_options(CLI::App& command, int& width, int& height, int& dpi, Context& context);

}  // namespace isolume::batch
