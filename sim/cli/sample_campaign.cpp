#include "sim/cli/sample_campaign.h"

#include <cmath>
#include <filesystem>
#include <memory>

#include "hwdb/device_db.h"
#include "hwdb/device_file.h"
#include "sampler/device_proposal.h"
#include "sampler/problem_drawer.h"
#include "sampler/problem_list.h"
#include "sim/cli/device_options.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/store/byte_stream.h"
#include "sim/store/sha256.h"

namespace layersim {
namespace {

constexpr std::uint64_t kDefaultProblems = 1000;

std::string digest(const std::string& text) {
  Sha256 sha;
  sha.update({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
  return sha.hex_digest();
}

ProblemSource listed_problems(const std::string& file, std::optional<std::int64_t> count) {
  Warnings warnings;
  auto problems = std::make_shared<const std::vector<SampleProblem>>(read_problem_list(file, warnings));
  for (const std::string& warning : warnings.all()) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  return {.draw = [problems](std::uint64_t index) { return problems->at(index); },
          .count = std::min<std::uint64_t>(static_cast<std::uint64_t>(count.value_or(INT64_MAX)),
                                           problems->size()),
          .text = "problems of " + std::filesystem::path(file).filename().string(),
          .digest = file_sha256(file)};
}

ProblemSource drawn_problems(const Arguments& arguments, std::optional<std::int64_t> count) {
  const std::filesystem::path file = find_sweep_file(arguments.text("sweep").value_or("default"));
  Sweep sweep = read_sweep_file(file);
  const std::vector<std::string> kinds = comma_separated(arguments.text("kinds").value_or(""));
  keep_kinds(sweep, kinds);
  const auto seed = static_cast<std::uint64_t>(arguments.count("seed", 0).value_or(1));
  std::string kinds_text;
  for (const std::string& kind : kinds) kinds_text += (kinds_text.empty() ? "" : ",") + kind;
  ProblemSource source{.draw = {},
                       .count = static_cast<std::uint64_t>(count.value_or(kDefaultProblems)),
                       .text = "sweep " + sweep.name + ", kinds " + (kinds.empty() ? "all" : kinds_text) +
                               ", seed " + std::to_string(seed),
                       .digest = file_sha256(file.string())};
  source.digest = digest(source.text + source.digest);
  const auto drawer = std::make_shared<const ProblemDrawer>(std::move(sweep), seed);
  source.draw = [drawer](std::uint64_t index) { return drawer->draw(index); };
  return source;
}

// Beside bench.h5 lies bench.device.json.
std::string proposal_file(const std::string& store) {
  return std::filesystem::path(store).replace_extension("device.json").string();
}

SampledDevice proposed_device(const std::string& store, Backend& backend) {
  const std::string file = proposal_file(store);
  if (!std::filesystem::exists(file)) {
    try {
      write_text(file, propose_cpu_device(backend, read_host_facts()));
    } catch (const CannotMeasure& reason) {
      throw bad_use(std::string("the rates of this CPU cannot be measured (") + reason.what() +
                    "): describe it by --gpu-file FILE");
    }
  }
  const Device device = read_device_file(file);
  if (device.multiprocessors == backend.facts().threads) {
    return {.key = device.key, .file = file, .proposed = true};
  }
  throw bad_use(file + " describes a CPU with " + std::to_string(std::lround(device.multiprocessors)) +
                " threads, and now there are " + std::to_string(backend.facts().threads) +
                ": give --threads, another -o, or --gpu-file");
}

Json host_as_json(const HostFacts& host) {
  Json json{{"cpu", host.cpu}, {"processors", host.processors}, {"memory_gib", host.memory_gib}};
  if (host.clock_mhz) json["clock_mhz"] = *host.clock_mhz;
  if (!host.governor.empty()) json["clock_governor"] = host.governor;
  return json;
}

}  // namespace

ProblemSource read_problem_source(const Arguments& arguments) {
  const auto count = arguments.count("n", 1);
  const auto file = arguments.text("problems");
  if (!file) return drawn_problems(arguments, count);
  for (const char* option : {"kinds", "sweep", "seed"}) {
    if (arguments.has(option))
      throw bad_use("--problems names the problems: leave out --" + std::string(option));
  }
  return listed_problems(*file, count);
}

SampledDevice find_sampled_device(const Arguments& arguments, const std::string& device,
                                  const std::string& store, Backend& backend) {
  const auto gpu = arguments.text("gpu");
  const auto file = arguments.text("gpu-file");
  if (gpu && file) throw bad_use("--gpu and --gpu-file exclude each other");
  if (gpu) return {.key = DeviceDb().find(*gpu).key};
  if (file) return {.key = read_own_device(*file).key, .file = *file};
  if (device == "cpu") return proposed_device(store, backend);
  try {
    return {.key = DeviceDb().find(backend.facts().device).key};
  } catch (const Error& error) {
    throw bad_use(std::string(error.what()) + "; name the device by --gpu or describe it by --gpu-file");
  }
}

CampaignFacts campaign_facts(const ProblemSource& source, const SampledDevice& device,
                             const std::string& backend_name, const BackendFacts& backend,
                             const CampaignOptions& options) {
  const Json identity{
      {"problems_from", source.digest}, {"device", backend_name.substr(0, backend_name.find(':'))},
      {"device_name", backend.device},  {"gpu", device.key},
      {"stack", backend.stack},         {"library_version", backend.library_version},
      {"threads", backend.threads}};
  CampaignFacts facts{
      .id = digest(identity.dump(-1, ' ', true, Json::error_handler_t::replace)).substr(0, 16),
      .gpu = device.key,
      .stack = backend.stack,
      .settings = {}};
  const Protocol& protocol = options.protocol;
  const Json settings{{"campaign", facts.id},
                      {"problems_from", source.text},
                      {"gpu", device.key},
                      {"device", backend.device},
                      {"driver", backend.driver},
                      {"stack", backend.stack},
                      {"library_version", backend.library_version},
                      {"threads", backend.threads},
                      {"warm_up_calls", protocol.warm_up_calls},
                      {"repetitions", protocol.repetitions},
                      {"shortest_repetition_ms", protocol.shortest_repetition_ms},
                      {"most_spread", options.noise.most_spread},
                      {"noise_ignored", options.ignore_noise},
                      {"host", host_as_json(read_host_facts())}};
  facts.settings = settings.dump(-1, ' ', true, Json::error_handler_t::replace);
  return facts;
}

void check_files_beside(const std::string& store, const Arguments& arguments) {
  std::vector<NamedFile> files{{"-o", store + ".journal", FileUse::written}};
  if (!arguments.has("gpu") && !arguments.has("gpu-file"))
    files.push_back({"-o", proposal_file(store), FileUse::written});
  files.insert(files.end(), arguments.files.begin(), arguments.files.end());
  check_no_overwriting(files);
}

double parse_time_budget_s(const std::string& text) {
  const std::string number = text.substr(0, text.empty() ? 0 : text.size() - 1);
  const std::string_view units = "smh";
  const std::size_t unit = text.empty() ? std::string_view::npos : units.find(text.back());
  if (unit == std::string_view::npos) {
    throw bad_use("--time-budget: '" + text + "' is not of the form 90s, 30m or 2h");
  }
  constexpr double kSeconds[] = {1, 60, 3600};
  return parse_positive("--time-budget", number) * kSeconds[unit];
}

}  // namespace layersim
