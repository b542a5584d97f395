#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>

#include "core/jobs/progress.h"
#include "core/molecules/document.h"
#include "core/orbitals/engine_registry.h"
#include "core/orbitals/parameters.h"

namespace isolume::batch {

/// What the subcommands share. Each `add_...` describes its part of the command line, and sets `action` when
/// it is the one that was called.
struct Context {
  std::ostream& out;
  std::ostream& err;
  jobs::Progress progress;
  std::function<void()> action;
};

void add_describe(CLI::App& program, Context& context);
void add_compute(CLI::App& program, Context& context);
void add_render(CLI::App& program, Context& context);
void add_convert(CLI::App& program, Context& context);
void add_livewire(CLI::App& program, Context& context);
void add_bench(CLI::App& program, Context& context);
void add_devices(CLI::App& program, Context& context);
void add_precompile(CLI::App& program, Context& context);
/// Hidden: prints the manual's reference page, so that it cannot say anything else than the program does.
void add_manual(CLI::App& program, Context& context);

/// Reads a file for a subcommand: its warnings go to `err`, one line each.
molecules::Document read(Context& context, const std::string& file, double progress_until = 1);

/// Says on `err` what --spin beta can mean where one list of orbitals serves both spins.
void explain_spin(Context& context, const std::string& file, const molecules::Document& document,
                  const orbitals::FieldParameters& parameters);

/// The document's wavefunction, or InputError when the file holds none.
const molecules::Wavefunction& wavefunction_of(const molecules::Document& document);

/// Before anything is read or computed: throws Error where one of the outputs cannot be written, or would
/// replace one of the inputs.
void check_outputs(std::span<const std::string> outputs, std::span<const std::string> inputs);
/// Throws Error where both are one file.
void require_another_file(const std::string& output, const std::filesystem::path& input);

/// One line on `err`: "isolume-batch: TEXT", control characters replaced.
void complain(std::ostream& err, std::string_view text);

/// JSON with two spaces, odd bytes of hostile files replaced.
void print(std::ostream& out, const nlohmann::ordered_json& json);

}  // namespace isolume::batch
