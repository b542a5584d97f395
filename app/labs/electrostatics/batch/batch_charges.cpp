#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/electrostatics/batch/batch_verbs.h"
#include "app/labs/electrostatics/batch/wavefunction_input.h"
#include "core/base/atomic_file.h"
#include "core/base/clock.h"
#include "core/base/suffix.h"
#include "core/electrostatics/quantum/atomic_charges.h"
#include "core/structures/pqr.h"

namespace isolume::batch {
namespace {

namespace es = electrostatics;

struct ChargesVerb {
  std::string file, output, kind = "esp";
  double density = es::usual_shell_density;
  int threads = 0;
  WavefunctionOptions wavefunction;
  bool json = false;
  const CLI::App* command = nullptr;
};

es::ChargeKind kind_of(const ChargesVerb& options) {
  if (options.kind == "mulliken") return es::ChargeKind::mulliken;
  return options.kind == "loewdin" ? es::ChargeKind::loewdin : es::ChargeKind::esp;
}

/// As --charges of `potential` and `prepare` takes it.
void write_table(const structures::Charges& charges, const std::string& remark, const std::string& path) {
  AtomicFile file(path);
  file.stream() << "# " << remark << "; radii in angstrom\nresidue,atom,charge,radius\n";
  for (std::size_t i = 0; i < charges.size(); ++i)
    file.stream() << fmt::format("{},{},{:.8f},{}\n", charges.labels[i].residue, charges.labels[i].atom,
                                 charges.charge[i], charges.radius[i]);
  file.commit();
}

void tell_charges(Context& context, const ChargesVerb& options, const structures::Charges& charges,
                  const es::AtomicCharges& found, double seconds) {
  if (!options.json) {
    context.out << fmt::format("{}: {} atoms, charge {:.4f} e", options.output, charges.size(),
                               shown_charge(structures::total_charge(charges)));
    if (found.fit) {
      context.out << fmt::format("; RMS error of the fit at {} points {:.2g} Eh/e, {:.1f} %",
                                 found.fit->points, found.fit->rms_hartree_per_e,
                                 100 * found.fit->relative_rms);
    }
    context.out << '\n';
    return;
  }
  nlohmann::ordered_json told{{"file", options.file},
                              {"output", options.output},
                              {"kind", options.kind},
                              {"charge", structures::total_charge(charges)}};
  auto& atoms = told["atoms"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < charges.size(); ++i)
    atoms.push_back({{"atom", charges.labels[i].atom}, {"charge", charges.charge[i]}});
  if (found.fit) {
    told["fit"] = {{"points", found.fit->points},
                   {"rms_hartree_per_e", found.fit->rms_hartree_per_e},
                   {"relative_rms", found.fit->relative_rms}};
  }
  told["remarks"] = json_of(context.remarks);
  told["seconds"] = seconds;
  print(context.out, told);
}

void find_charges(Context& context, const ChargesVerb& options) {
  const bool is_pqr = has_suffix(options.output, ".pqr"), is_csv = has_suffix(options.output, ".csv");
  if (!is_pqr && !is_csv)
    throw UsageError(fmt::format(
        "{}: the suffix names no known format. Give a name that ends with .pqr or .csv.", options.output));
  if (options.kind != "esp" && given(*options.command, "density"))
    throw UsageError("--density sets the density of fitting points. Give it with --kind esp only.");
  check_outputs(context, std::vector{options.output}, std::vector{options.file});
  const auto input = read_wavefunction(context, options.file, options.wavefunction, 0.2);
  const auto start = std::chrono::steady_clock::now();
  const auto found = es::atomic_charges(input.wavefunction(), input.set(), nullptr, kind_of(options),
                                        options.density, options.threads, context.progress.part(0.2, 1));
  const double seconds = seconds_since(start);
  const auto charges = es::charges_at_atoms(input.wavefunction().molecule, found.charges);
  const std::string remark =
      fmt::format("charges in e: {}", options.kind == "mulliken"  ? "Mulliken"
                                      : options.kind == "loewdin" ? "Loewdin"
                                                                  : "fitted to the electrostatic potential");
  if (is_pqr) {
    structures::write_pqr(charges, {remark}, options.output, context.progress);
  } else {
    write_table(charges, remark, options.output);
  }
  tell_charges(context, options, charges, found, seconds);
}

}  // namespace

void add_electrostatics_charges(CLI::App& lab, Context& context) {
  auto options = std::make_shared<ChargesVerb>();
  auto& command = add_verb(lab, "charges", "Compute atomic charges from a wavefunction.");
  options->command = &command;
  add_option(command, context, &options->file,
             commands::path("FILE", "A wavefunction, as the Orbitals lab reads it, plain or .gz"));
  add_option(
      command, context, &options->output,
      commands::path("output", "File to write: .pqr, or .csv for the option --charges of other commands"));
  add_option(command, context, &options->kind,
             commands::choice("kind",
                              "Mulliken or Loewdin population analysis, or charges fitted to the "
                              "electrostatic potential on shells around the molecule",
                              {"esp", "mulliken", "loewdin"}));
  add_option(command, context, &options->density,
             commands::number("density", "Fitting points per square angstrom of each shell, for --kind esp")
                 .range(0.1, 1000));
  add_wavefunction_options(command, context, options->wavefunction);
  add_option(command, context, &options->threads,
             commands::integer("threads", "CPU threads, 0 for all of them").range(0, 4096));
  add_flag(command, "json", options->json, "Print the charges as JSON");
  on_call(command, context, [options, &context] { find_charges(context, *options); });
}

}  // namespace isolume::batch
