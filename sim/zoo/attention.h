#pragma once
// What the zoo's transformers share. Tokens are [N, S, C]; S is fixed by the input's shape alone, so that
// another length can be asked for.

#include <functional>
#include <string>

#include "sim/zoo/blocks.h"

namespace layersim::zoo {

struct AttentionOptions {
  std::int64_t heads = 1;
  bool scale_query = false;  // the factor goes to the queries, else to the scores
  double dropout = 0.0;      // of the weights; 0: none
  // Masks or biases the scores [N, heads, S, S] before the softmax.
  std::function<Features(const std::string& name, Features scores)> adjust{};
};

// softmax(q k^T / sqrt(channels of a head)) v, head by head.
Features attention(Net& net, const std::string& name, Features q, Features k, Features v,
                   const AttentionOptions& options);

// Two dense layers with an activation between.
Features feed_forward(Net& net, const std::string& first, const std::string& second, Features x,
                      std::int64_t inner, Act act);

// offset, offset + 1, ...: one for each token of ids [N, S].
ValueId positions(Net& net, ValueId ids, std::int64_t offset = 0);

// For AttentionOptions::adjust: tokens of ids [N, S], S <= longest, see only themselves and earlier ones.
std::function<Features(const std::string&, Features)> causal_mask(Net& net, ValueId ids,
                                                                  std::int64_t longest);

}  // namespace layersim::zoo
