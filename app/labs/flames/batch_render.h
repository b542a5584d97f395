#pragma once

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;
/// `isolume-batch flames render`.
void add_flames_render(CLI::App& lab, Context& context);

}  // namespace isolume::batch
