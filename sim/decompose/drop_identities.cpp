#include "sim/decompose/passes.h"

namespace layersim {

// They would stand between the nodes of a pattern. Those whose value leaves the graph stay.
void drop_identities(Rewriter& rewriter) {
  for (NodeIndex i = 0; i < rewriter.node_count(); ++i) {
    if (!rewriter.is_op(i, "Identity")) continue;
    const ValueId input = rewriter.node(i).input(0);
    const ValueId output = rewriter.node(i).output(0);
    if (input == kNoValue || output == kNoValue || rewriter.is_graph_output(output)) continue;
    rewriter.redirect(output, input);
    rewriter.remove(i);
  }
}

}  // namespace layersim
