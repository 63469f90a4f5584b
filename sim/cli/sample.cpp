// layersim sample: measures random layers on a device and keeps the times in a store.

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "sampler/noise_watch.h"
#include "sampler/rank_link.h"
#include "sampler/shared_campaign.h"
#include "sim/cli/command_line.h"
#include "sim/cli/output.h"
#include "sim/cli/progress_line.h"
#include "sim/cli/sample_campaign.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/report/readable_text.h"
#include "sim/store/store_reader.h"

namespace layersim {
namespace {

volatile std::sig_atomic_t stop_asked = 0;

extern "C" void ask_to_stop(int /*signal*/) { stop_asked = 1; }

// The sample in flight is finished and the rows go into the store.
void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = SA_RESETHAND;  // a second one ends the program
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void list_problems(const ProblemSource& source, const std::string& json) {
  Json lines = Json::array();
  std::string text;
  for (std::uint64_t i = 0; i < source.count; ++i) {
    const std::string line = to_text(source.draw(i));
    lines.push_back(line);
    text.append(line).append("\n");
  }
  if (!json.empty())
    write_text(json, Json{{"schema_version", 1}, {"problems", std::move(lines)}}.dump(2) + '\n');
  if (json != "-") print(text);
}

std::string progress_text(const CampaignProgress& progress, const CampaignOptions& options) {
  std::string text = "sample " + with_thousands(static_cast<double>(progress.done)) + " of " +
                     with_thousands(static_cast<double>(progress.problems)) + ": " +
                     short_number(progress.per_minute()) + " a minute";
  if (const auto left = progress.left_s(options)) text += ", " + duration(*left) + " left";
  if (progress.skipped > 0) text += ", " + std::to_string(progress.skipped) + " skipped";
  if (progress.noisy > 0) text += ", " + std::to_string(progress.noisy) + " noisy";
  return text;
}

std::string result_as_json(const CampaignProgress& progress, const CampaignFacts& facts,
                           const SampledDevice& device) {
  Json json{{"schema_version", 1},
            {"campaign", facts.id},
            {"gpu", facts.gpu},
            {"stack", facts.stack},
            {"problems", progress.problems},
            {"done", progress.done},
            {"measured", progress.measured},
            {"skipped", progress.skipped},
            {"noisy", progress.noisy},
            {"elapsed_s", progress.elapsed_s},
            {"per_minute", progress.per_minute()}};
  if (!device.file.empty()) json["gpu_file"] = device.file;
  return json.dump(2) + '\n';
}

std::string result_as_text(const CampaignProgress& progress, const std::string& store,
                           const SampledDevice& device) {
  std::string text =
      "measured " + with_thousands(static_cast<double>(progress.measured)) + " layers in " +
      duration(progress.elapsed_s) + " (" + short_number(progress.per_minute()) + " a minute), skipped " +
      std::to_string(progress.skipped) + "; " + std::to_string(progress.noisy) + " of them noisy\n" + store +
      " has " + with_thousands(static_cast<double>(progress.done)) + " of the " +
      with_thousands(static_cast<double>(progress.problems)) + " problems, of " + device.key + '\n';
  if (device.proposed) {
    text += device.file +
            " describes this CPU: look it through, and give it as --gpu-file to train and predict\n";
  }
  return text;
}

void warn(const std::string& text) { std::fprintf(stderr, "warning: %s\n", text.c_str()); }

// With other ranks, which this one leads. Nobody is left waiting where this rank fails. True when a rank is
// gone.
bool measure_with_others(RankLink& link, Backend& backend, const ProblemSource& source,
                         const CampaignOptions& options, const CampaignFacts& facts, CampaignState& state,
                         SampleStore& store) {
  bool silent = false;
  try {
    for (const LostRank& lost : lead_campaign(link, backend, source.draw, options, facts, state)) {
      warn("rank " + std::to_string(lost.rank) + ' ' + lost.reason);
      silent = silent || lost.silent;
    }
    store.finish();
  } catch (const Error& error) {
    std::fprintf(stderr, "layersim: %s\n", error.what());
    link.end_all(error.exit_code());
  }
  return silent;
}

Error all_skipped(const CampaignProgress& progress) {
  return {ErrorKind::nothing_predicted,
          "nothing was measured: all " + std::to_string(progress.skipped) +
              " problems were skipped, the last because of: " + progress.skip_reason};
}

// --device cuda under mpirun: each process of a host has a GPU of its own.
std::string device_of_rank(const std::string& device, const std::optional<RankPlace>& place) {
  return place && device == "cuda" ? device + ':' + std::to_string(place->local_rank) : device;
}

int measure_problems(const Arguments& given, const ProblemSource& source) {
  const auto output = given.text("output");
  const auto device_given = given.text("device");
  if (!output || !device_given) throw bad_use("sample takes --device cpu or cuda:0 and -o FILE, or --list");
  check_files_beside(*output, given);
  if (std::filesystem::exists(*output)) (void)StoreReader(*output);  // before anything lies beside it
  const std::string json = given.text("json").value_or("");
  CampaignOptions options{
      .problems = source.count, .ignore_noise = given.has("force"), .problems_digest = source.digest};
  if (const auto budget = given.text("time-budget")) options.time_budget_s = parse_time_budget_s(*budget);
  const auto place = find_rank_place();
  const std::string device_name = device_of_rank(*device_given, place);
  const auto backend = open_backend(device_name, read_threads(given).value_or(0));
  stop_on_signals();
  if (place && place->rank > 0) {
    follow_campaign(*open_rank_link(), *backend, source.draw, options);
    return 0;
  }
  if (const std::string warning = backend->facts().warning; !warning.empty()) warn(warning);
  if (!options.ignore_noise) check_quiet(*backend, options.noise);
  const SampledDevice device = find_sampled_device(given, device_name, *output, *backend);
  const CampaignFacts facts = campaign_facts(source, device, device_name, backend->facts(), options);
  SampleStore store(*output, facts);
  ProgressLine line;
  CampaignState state(
      options, store, [] { return stop_asked != 0; },
      [&](const CampaignProgress& progress) { line.show(progress_text(progress, options), false); });
  std::unique_ptr<RankLink> link;
  bool rank_gone = false;
  if (place) {
    link = open_rank_link();
    rank_gone = measure_with_others(*link, *backend, source, options, facts, state, store);
  } else {
    run_campaign(*backend, source.draw, options, facts, state);
    store.finish();
  }
  const CampaignProgress progress = state.progress();
  line.show(progress_text(progress, options), true);
  if (!json.empty()) write_text(json, result_as_json(progress, facts, device));
  if (json != "-") print(result_as_text(progress, *output, device));
  const bool nothing = progress.measured == 0 && progress.skipped > 0;
  if (rank_gone) link->end_all(nothing ? static_cast<int>(ErrorKind::nothing_predicted) : 0);
  if (nothing) throw all_skipped(progress);
  return 0;
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  options::options_description group("options");
  group.add_options()                                                                                       //
      ("device,d", text_value("NAME"), "what measures: cpu, cuda:0 ..., or fake (times by a formula)")      //
      ("output,o", binary_output_file(), "store that the rows go to; what it has already is not repeated")  //
      ("n", text_value("N"), "problems (default: 1000, or all of --problems)")                              //
      ("kinds", text_value("A,B"), "only these layer kinds (default: all of the sweep)")                    //
      ("sweep", input_file("NAME"),
       "ranges to draw from: a file, or a name in configs/sweeps (default: default)")  //
      ("seed", text_value("N"), "the same seed gives the same problems (default: 1)")  //
      ("problems", input_file(),
       "measure the problems of this CSV file: columns of measured rows, without device and time")       //
      ("list", "only print the problems; needs no device")                                               //
      ("time-budget", text_value("T"), "end after 90s, 30m or 2h; the same command goes on from there")  //
      ("threads", text_value("N"), "of the CPU that compute (default: all)")                             //
      ("gpu,g", text_value("NAME"),
       "device of the rows, as `layersim gpus` lists it (default: by the name "
       "that the driver tells)")  //
      ("gpu-file", input_file(),
       "device of the rows, from a JSON file (default, of a CPU: one that is "
       "written beside the store)")                           //
      ("force", "measure also where times scatter too much")  //
      ("json", output_file(), "write the summary as JSON; - is standard output");
  const auto given = read_arguments(command, {group}, arguments, 0);
  if (!given) return 0;
  const ProblemSource source = read_problem_source(*given);
  if (given->has("list") && given->has("output"))
    throw bad_use("--list only prints the problems: leave out -o");
  if (!given->has("list")) return measure_problems(*given, source);
  list_problems(source, given->text("json").value_or(""));
  return 0;
}

}  // namespace

Command sample_command() {
  return {.name = "sample",
          .summary = "measures random layers on a device, for train",
          .usage = "--device cpu|cuda:N -o STORE",
          .example =
              "layersim sample --device cpu --kinds conv,dense --n 5000 -o bench.h5\n"
              "layersim sample --device cuda:0 --gpu t4 --time-budget 2h -o bench.h5\n"
              "layersim sample --list --sweep justus --n 20\n"
              "layersim sample --device cpu --problems missing.csv -o bench.h5",
          .run = run};
}

}  // namespace layersim
