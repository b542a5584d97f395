#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}
namespace isolume::batch {
struct Context;
}

namespace isolume::labs::anatomy {

/// Adds `anatomy filter` and `anatomy statistics`.
void add_filter_verbs(CLI::App& lab, batch::Context& context);

/// Of `anatomy filter`.
struct FilterOptions {
  std::string image, output, chain, save_chain;
  std::vector<std::string> filters;
  int threads = 0;
  bool list = false, json = false;
};

/// By the full program, which loads ITK.
void run_filter(batch::Context& context, const FilterOptions& options);

}  // namespace isolume::labs::anatomy
