#pragma once
// What `layersim sample` is asked to do, put together: the problems, the device and the store.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sampler/campaign.h"
#include "sim/cli/command_line.h"

namespace layersim {

// Where the problems come from: drawn from a sweep, or listed in a file.
struct ProblemSource {
  DrawProblem draw;
  std::uint64_t count = 0;
  std::string text;    // for people: "sweep default, seed 1"
  std::string digest;  // the same text for the same problems only
};
[[nodiscard]] ProblemSource read_problem_source(const Arguments& arguments);

// The device that the rows are told to be of.
struct SampledDevice {
  std::string key;
  std::string file{};     // of a device that is not in configs/gpus; empty: it is
  bool proposed = false;  // the file was made by this program, here or earlier
};
// --gpu or --gpu-file; else, of a CPU, a file beside the store that is made if it is not there; of a GPU the
// device that has the name that its driver tells.
[[nodiscard]] SampledDevice find_sampled_device(const Arguments& arguments, const std::string& device,
                                                const std::string& store, Backend& backend);

[[nodiscard]] CampaignFacts campaign_facts(const ProblemSource& source, const SampledDevice& device,
                                           const std::string& backend_name, const BackendFacts& backend,
                                           const CampaignOptions& options);

// No file of the command line may be one that lies beside the store: its journal, the proposed device.
void check_files_beside(const std::string& store, const Arguments& arguments);

// "90s", "30m", "2h". Throws bad_use.
[[nodiscard]] double parse_time_budget_s(const std::string& text);

}  // namespace layersim
