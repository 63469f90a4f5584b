// OPT (Zhang et al. 2022), with the output matrix tied to the token embedding.

#include "sim/zoo/attention.h"

namespace layersim::zoo {
namespace {

constexpr double kDropout = 0.1;
constexpr std::int64_t kVocabulary = 50272;
constexpr std::int64_t kLength = 2048;
constexpr std::int64_t kPositionOffset = 2;  // two rows of the position table are for padding

struct Opt {
  int blocks;
  std::int64_t channels, heads;
  std::int64_t word_channels;  // of the token embedding; projected where it differs from `channels`
  bool norm_first = true;      // layer norm before each part and at the end, else after each part
};

Graph opt(std::string_view name, const Opt& config) {
  Net net(name, 20);
  const std::string decoder = "model.decoder.";
  const ValueId ids = net.tokens("input_ids", kLength);
  const Features words = net.table(decoder + "embed_tokens", kVocabulary, config.word_channels);
  const Features places = net.table(decoder + "embed_positions", kLength + kPositionOffset, config.channels);
  const bool project = config.word_channels != config.channels;
  Features x = net.lookup(decoder + "embed_tokens", words, ids);
  if (project) x = net.token_linear(decoder + "project_in", x, config.channels, false);
  x = net.add(decoder + "add", x,
              net.lookup(decoder + "embed_positions", places, positions(net, ids, kPositionOffset)));
  x = net.dropout(decoder + "dropout", x, kDropout);

  const AttentionOptions options{
      .heads = config.heads, .scale_query = true, .adjust = causal_mask(net, ids, kLength)};
  const auto norm = [&](const std::string& path, Features y, bool here) {
    return here ? net.layer_norm(path, y) : y;
  };
  for (int i = 0; i < config.blocks; ++i) {
    const std::string block = decoder + "layers." + std::to_string(i);
    const std::string attn = block + ".self_attn";
    Features y = norm(block + ".self_attn_layer_norm", x, config.norm_first);
    const Features q = net.token_linear(attn + ".q_proj", y, config.channels);
    const Features k = net.token_linear(attn + ".k_proj", y, config.channels);
    const Features v = net.token_linear(attn + ".v_proj", y, config.channels);
    y = net.token_linear(attn + ".out_proj", attention(net, attn, q, k, v, options), config.channels);
    x = net.add(block + ".add_1", x, net.dropout(block + ".dropout_1", y, kDropout));
    x = norm(block + ".self_attn_layer_norm", x, !config.norm_first);
    y = norm(block + ".final_layer_norm", x, config.norm_first);
    y = feed_forward(net, block + ".fc1", block + ".fc2", y, 4 * config.channels, Act::relu);
    x = net.add(block + ".add_2", x, net.dropout(block + ".dropout_2", y, kDropout));
    x = norm(block + ".final_layer_norm", x, !config.norm_first);
  }
  x = norm(decoder + "final_layer_norm", x, config.norm_first);
  if (project) x = net.token_linear(decoder + "project_out", x, config.word_channels, false);
  return net.finish(net.times_table("lm_head", x, words, kVocabulary), "logits");
}

}  // namespace

std::vector<ZooNetwork> opt_networks() {
  return {
      {"opt_125m", "opt", "OPT 125M (Zhang et al. 2022), 2048 tokens",
       [] {
         return opt("opt_125m", {12, 768, 12, 768});
       }},
      {"opt_350m", "opt", "OPT 350M (Zhang et al. 2022), 2048 tokens",
       [] {
         return opt("opt_350m", {24, 1024, 16, 512, false});
       }},
      {"opt_1_3b", "opt", "OPT 1.3B (Zhang et al. 2022), 2048 tokens",
       [] {
         return opt("opt_1_3b", {24, 2048, 32, 2048});
       }},
      {"opt_2_7b", "opt", "OPT 2.7B (Zhang et al. 2022), 2048 tokens",
       [] {
         return opt("opt_2_7b", {32, 2560, 32, 2560});
       }},
  };
}

}  // namespace layersim::zoo
