#include "sim/report/facts.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/report/price_report.h"
#include "sim/report/readable_text.h"

namespace layersim {
namespace {

void add_fact(std::string& out, std::string_view label, std::string_view text, std::size_t width) {
  out += labelled_text(label, text, 10, width);
}

std::string batch_text(const RunReport& run) {
  std::string text = short_number(run.batch_ms) + " ms";
  if (run.batch_interval_ms) {
    text += " (90 % between " + short_number(run.batch_interval_ms->low) + " and " +
            short_number(run.batch_interval_ms->high) + ")";
  }
  text += " = forward " + short_number(run.forward_ms);
  if (run.mode == Mode::training) {
    text += " + backward " + short_number(run.backward_ms) + " + update " + short_number(run.optimizer_ms);
  }
  text += " + overhead " + short_number(run.overhead_ms);
  if (run.parallel) text += " + communication " + short_number(run.communication_ms);
  if (run.bubble_ms > 0) text += " + waiting for other stages " + short_number(run.bubble_ms);
  if (run.input_wait_ms > 0) {
    text +=
        " + waiting for input " + short_number(run.input_wait_ms) + " (the loader is slower than the device)";
  }
  return text;
}

std::string parallel_text(const RunReport& run, const ParallelReport& parallel) {
  std::string text = with_thousands(run.n_gpus) + " of them";
  if (parallel.nodes > 1) text += " on " + with_thousands(parallel.nodes) + " hosts";
  text += ", ";
  if (parallel.kind == "ddp") {
    text += "data parallel";
  } else if (parallel.kind == "dp") {
    text += "data parallel from one process (DataParallel)";
  } else if (parallel.kind == "tp") {
    text += "tensor parallel";
  } else {
    text += "pipeline of " + with_thousands(run.n_gpus) + " stages and " +
            with_thousands(static_cast<double>(parallel.micro_batches)) + " micro-batches";
  }
  text += ", " + with_thousands(static_cast<double>(parallel.device_batch)) + " samples each at once; " +
          parallel.interconnect + " is busy " + short_number(parallel.interconnect_busy_ms) +
          " ms a batch, of it " + short_number(run.communication_ms) + " not hidden";
  return text;
}

std::string epoch_text(const RunReport& run) {
  std::string text =
      duration(run.epoch_s) + " for " + with_thousands(static_cast<double>(run.dataset_size)) + " samples";
  if (run.dataset_size_is_default) text += " (ImageNet-1k; --dataset-size sets another)";
  if (run.validation_size > 0) {
    text += ", of it " + duration(run.validation_s) + " to validate on " +
            with_thousands(static_cast<double>(run.validation_size));
  }
  if (run.epochs > 1) {
    text += "; " + with_thousands(static_cast<double>(run.epochs)) + " epochs: " + duration(run.total_s);
  }
  return text;
}

std::string cost_text(const RunReport& run) {
  return usd_text(run.cost_usd()) + " USD at " + hourly_price_text(*run.price);
}

std::string memory_text(const RunReport& run) {
  const MemoryReport& memory = run.memory;
  std::string text = with_thousands(memory.total_mib()) + " MiB of " + with_thousands(memory.usable_mib) +
                     " usable" + (memory.fits ? ": fits" : ": DOES NOT FIT");
  const std::pair<std::string_view, double> parts[] = {
      {"weights", memory.weights_mib},     {"gradients", memory.gradients_mib},
      {"optimizer", memory.optimizer_mib}, {"activations", memory.activations_mib},
      {"workspace", memory.workspace_mib}, {"context", memory.context_mib}};
  std::string list;
  for (const auto& [label, mib] : parts) {
    if (mib > 0) list += (list.empty() ? " (" : ", ") + std::string(label) + ' ' + short_number(mib);
  }
  text += list + (list.empty() ? "" : ")");
  if (memory.max_batch) {
    text += *memory.max_batch == 0
                ? "; not even one sample fits"
                : "; largest batch that fits: " + with_thousands(static_cast<double>(*memory.max_batch));
  }
  return text;
}

std::string before_text(const RunReport& run) {
  return short_number(run.before->batch_ms) + " ms on " + run.before->gpu_name + ": " +
         short_number(run.before->batch_ms / run.batch_ms) + " times as long";
}

// "by the data sheet 31 by memory (60 % of the time), 20 by compute (40 % of the time)"
std::string bound_text(const Report& report) {
  struct Share {
    int layers = 0;
    double ms = 0;
  };
  std::map<std::string_view, Share> shares;
  double total_ms = 0;
  for (const LayerReport& layer : report.layers) {
    if (layer.bound_by.empty()) continue;
    ++shares[layer.bound_by].layers;
    shares[layer.bound_by].ms += layer.time.total_ms();
    total_ms += layer.time.total_ms();
  }
  std::string text;
  for (const auto& [bound, share] : shares) {
    text += (text.empty() ? "by the data sheet " : ", ") + with_thousands(share.layers) + " by " +
            std::string(bound) + " (" + percent(share.ms / total_ms) + " of the time)";
  }
  return text;
}

std::string tensors_text(const std::vector<TensorReport>& tensors) {
  std::string text;
  for (const TensorReport& tensor : tensors) {
    if (!text.empty()) text += ", ";
    text += printable(tensor.name) + ' ' + (tensor.shape ? to_string(*tensor.shape) : "?");
  }
  return text;
}

}  // namespace

std::string network_text(const Report& report) {
  const NetworkReport& network = report.network;
  std::string macs = with_prefix(network.macs_max, "MACs");
  if (network.macs_min != network.macs_max) macs = with_prefix(network.macs_min, "MACs") + " to " + macs;
  const std::string frozen =
      network.frozen_params > 0 ? ", of them " + with_thousands(network.frozen_params) + " frozen" : "";
  return with_thousands(network.params) + " parameters" + frozen + " (" +
         with_prefix(network.weight_bytes, "B") + " with all that is stored), " + macs +
         " in a forward pass of batch " + with_thousands(static_cast<double>(network.batch)) + ", " +
         with_thousands(report.coverage.layers) + (report.coverage.layers == 1 ? " layer" : " layers") +
         (report.coverage.fused > 0
              ? " (" + with_thousands(report.coverage.fused) + " of them activations in other rows)"
              : "");
}

std::string run_text(const RunReport& run, std::int64_t batch) {
  std::string text =
      run.gpu_name + " (" + run.gpu + "), batch " + with_thousands(static_cast<double>(batch)) + ", ";
  text += run.mode == Mode::forward ? "forward pass"
                                    : "training step with optimizer " + std::string(name(run.optimizer));
  text += ", " + std::string(name(run.precision));
  if (!run.stack.empty()) text += ", " + run.stack;
  return text;
}

std::string coverage_text(const Report& report) {
  const CoverageReport& coverage = report.coverage;
  std::string text = with_thousands(coverage.modelled) + " of " + with_thousands(coverage.layers) +
                     " layers modelled: " + percent(coverage.macs_share) + " of MACs, " +
                     percent(coverage.bytes_share) + " of bytes";
  if (report.run && report.run->method_is_trained) {
    text += "; " + with_thousands(coverage.inside_trained_range) + " inside the trained range";
    if (coverage.new_weights > 0)
      text += ", " + with_thousands(coverage.new_weights) + " with weights of sizes that were not measured";
  }
  std::set<std::string> unmodelled;
  for (const LayerReport& layer : report.layers) {
    if (!layer.is_modelled()) unmodelled.insert(printable(layer.kind.empty() ? layer.op : layer.kind));
  }
  if (unmodelled.empty()) return text;
  text += "; without a model:";
  for (const std::string& op : unmodelled) text += ' ' + op;
  return text;
}

std::string facts_before(const Report& report, std::size_t width) {
  std::string out = printable(report.network.file) + '\n';
  add_fact(out, "network", network_text(report), width);
  if (report.run) {
    add_fact(out, "run", run_text(*report.run, report.network.batch), width);
  } else {
    add_fact(out, "inputs", tensors_text(report.network.inputs), width);
    add_fact(out, "outputs", tensors_text(report.network.outputs), width);
  }
  return out;
}

std::string facts_after(const Report& report, std::size_t width) {
  std::string out;
  if (report.run) {
    add_fact(out, "batch", batch_text(*report.run), width);
    if (report.run->before) {
      add_fact(out, "before", before_text(*report.run), width);
      add_fact(out, "bound", bound_text(report), width);
    }
    if (report.run->parallel) add_fact(out, "gpus", parallel_text(*report.run, *report.run->parallel), width);
    add_fact(out, "epoch", epoch_text(*report.run), width);
    if (report.run->price) add_fact(out, "cost", cost_text(*report.run), width);
    add_fact(out, "memory", memory_text(*report.run), width);
  }
  add_fact(out, "coverage", coverage_text(report), width);
  if (report.run) add_fact(out, "method", report.run->method_statement, width);
  for (const std::string& warning : report.warnings) add_fact(out, "warning", printable(warning), width);
  return out;
}

}  // namespace layersim
