#include "sim/cli/parallel_options.h"

namespace layersim {
namespace {

// More devices than any cluster has.
constexpr std::int64_t kMostDevices = 1'000'000;

int read_devices(const Arguments& arguments, const char* option) {
  return static_cast<int>(arguments.count(option, 1, kMostDevices).value_or(1));
}

}  // namespace

options::options_description parallel_option_group() {
  options::options_description group("several GPUs (the batch counts over all of them)");
  group.add_options()                                                      //
      ("n-gpus", text_value("N"), "GPUs that work together (default: 1)")  //
      ("nodes", text_value("N"), "hosts that they stand in (default: 1)")  //
      ("parallel", text_value("KIND"),
       "ddp: data parallel, gradients summed during the backward pass (the default); dp: PyTorch's "
       "DataParallel; tp: tensor parallel; pp: pipeline")  //
      ("interconnect", text_value("KEY,..."),
       "of a host and between hosts; `layersim interconnects` lists them (default: what the device has, "
       "infiniband-hdr between hosts)")  //
      ("micro-batches", text_value("N"), "of a pipeline (default: four a stage)");
  return group;
}

ParallelOptions read_parallel_options(const Arguments& arguments) {
  ParallelOptions result;
  result.cluster.devices = read_devices(arguments, "n-gpus");
  result.cluster.hosts = read_devices(arguments, "nodes");
  result.cluster.interconnects = arguments.text("interconnect").value_or("");
  if (const auto text = arguments.text("parallel")) {
    result.kind = static_cast<Parallelism>(parse_choice("--parallel", *text, parallelism_names()));
  }
  result.micro_batches = arguments.count("micro-batches", 1);
  return result;
}

}  // namespace layersim
