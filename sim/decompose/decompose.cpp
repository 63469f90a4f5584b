#include "sim/decompose/decompose.h"

#include <array>
#include <utility>

#include "sim/decompose/lower.h"
#include "sim/decompose/passes.h"

namespace layersim {
namespace {

using Pass = void (*)(Rewriter&);

// Before batch norms are looked for: the graph without what costs nothing, patterns as one node.
constexpr std::array<Pass, 6> kCleaningPasses{drop_dead_nodes,  fold_constants, drop_identities,
                                              group_layer_norm, group_gelu,     group_gated_activation};
constexpr std::array<Pass, 3> kFusingPasses{fuse_bias, fuse_activation, fold_quantize};

void treat_folded_batchnorm(Rewriter& rewriter, const DecomposeOptions& options) {
  if (!options.training && !options.assume_batchnorm) return;
  const FoldedBatchNorms folded = find_folded_batchnorm(rewriter);
  const std::string count = std::to_string(folded.convolutions.size());
  if (folded.convolutions.empty()) {
    if (options.assume_batchnorm) {
      rewriter.warnings().add(
          "no convolution looks as if a batch norm had been folded into it; none was put back");
    }
  } else if (options.assume_batchnorm) {
    restore_batchnorm(rewriter, folded);
    rewriter.warnings().add("put batch norms back behind " + count + " convolutions (" + folded.evidence +
                            ")");
  } else {
    rewriter.warnings().add("the export seems to have folded batch norms into " + count + " convolutions (" +
                            folded.evidence + "), so a training step would be longer than predicted: " +
                            "export in training mode or use predict --assume-batchnorm");
  }
}

}  // namespace

double Network::repeats(const Layer& layer) const {
  double product = 1;
  for (int i = layer.scope; i >= 0;) {
    const Scope& scope = graph.scopes.at(static_cast<std::size_t>(i));
    if (scope.dead) return 0;
    if (scope.kind == Scope::Kind::loop) product *= static_cast<double>(scope.trip_count.value_or(1));
    i = scope.parent < i ? scope.parent : -1;
  }
  return product;
}

Network decompose(Graph graph, const DecomposeOptions& options, Warnings warnings) {
  Network network;
  network.warnings = std::move(warnings);
  bind_inputs(graph, options.bindings, network.warnings);
  infer_shapes(graph, options.bindings, network.warnings);

  Rewriter rewriter(graph, network.warnings);
  for (const Pass pass : kCleaningPasses) pass(rewriter);
  treat_folded_batchnorm(rewriter, options);
  for (const Pass pass : kFusingPasses) pass(rewriter);
  rewriter.finish();

  network.layers = lower_nodes(graph, network.warnings);
  const std::vector<bool> frozen = freeze_weights(graph, rewriter.sources(), network.layers, options.freeze);
  const WeightTotals weights = charge_weights(graph, rewriter.sources(), frozen, network.layers);
  mark_gradients(graph, frozen, network.layers);
  const MacRange macs = total_macs(graph, network.layers);
  network.params = weights.params;
  network.frozen_params = weights.frozen_params;
  network.weight_bytes = weights.bytes;
  network.macs_min = macs.low;
  network.macs_max = macs.high;
  network.graph = std::move(graph);
  return network;
}

}  // namespace layersim
