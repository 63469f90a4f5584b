// GPT-2 (Radford et al. 2019) and GPT-3 (Brown et al. 2020, without its sparse attention), with the output
// matrix tied to the token embedding.

#include "sim/zoo/attention.h"

namespace layersim::zoo {
namespace {

constexpr double kDropout = 0.1;
constexpr std::int64_t kVocabulary = 50257;

Graph gpt(std::string_view name, int blocks, std::int64_t channels, std::int64_t heads, std::int64_t length,
          const ZooVariant& variant) {
  variant.check_no_images(name);
  channels = variant.channels(channels, heads);
  blocks = variant.layers(blocks);
  Net net(name, 20);
  const ValueId ids = net.tokens("input_ids", length);
  const Features words = net.table("transformer.wte", kVocabulary, channels);
  const Features places = net.table("transformer.wpe", length, channels);
  Features x = net.lookup("transformer.wte", words, ids);
  x = net.add("transformer.add", x, net.lookup("transformer.wpe", places, positions(net, ids)));
  x = net.dropout("transformer.drop", x, kDropout);
  const AttentionOptions options{
      .heads = heads, .dropout = kDropout, .adjust = causal_mask(net, ids, length)};
  for (int i = 0; i < blocks; ++i) {
    const std::string block = "transformer.h." + std::to_string(i);
    const Features normed = net.layer_norm(block + ".ln_1", x);
    const auto qkv = net.split(block + ".attn.split",
                               net.token_linear(block + ".attn.c_attn", normed, 3 * channels), 2, 3);
    Features y = attention(net, block + ".attn", qkv[0], qkv[1], qkv[2], options);
    y = net.dropout(block + ".attn.resid_dropout", net.token_linear(block + ".attn.c_proj", y, channels),
                    kDropout);
    x = net.add(block + ".add_1", y, x);
    y = feed_forward(net, block + ".mlp.c_fc", block + ".mlp.c_proj", net.layer_norm(block + ".ln_2", x),
                     4 * channels, Act::gelu_in_operators);
    x = net.add(block + ".add_2", x, net.dropout(block + ".mlp.dropout", y, kDropout));
  }
  x = net.layer_norm("transformer.ln_f", x);
  return net.finish(net.times_table("lm_head", x, words, kVocabulary), "logits");
}

}  // namespace

std::vector<ZooNetwork> gpt_networks() {
  return {
      {"gpt2", "gpt", "GPT-2 small (Radford et al. 2019), 1024 tokens",
       [](const ZooVariant& variant) { return gpt("gpt2", 12, 768, 12, 1024, variant); }},
      {"gpt2_medium", "gpt", "GPT-2 medium (Radford et al. 2019), 1024 tokens",
       [](const ZooVariant& variant) { return gpt("gpt2_medium", 24, 1024, 16, 1024, variant); }},
      {"gpt2_large", "gpt", "GPT-2 large (Radford et al. 2019), 1024 tokens",
       [](const ZooVariant& variant) { return gpt("gpt2_large", 36, 1280, 20, 1024, variant); }},
      {"gpt2_xl", "gpt", "GPT-2 XL (Radford et al. 2019), 1024 tokens",
       [](const ZooVariant& variant) { return gpt("gpt2_xl", 48, 1600, 25, 1024, variant); }},
      {"gpt3_27", "gpt", "GPT-3 2.7B (Brown et al. 2020), dense attention, 2048 tokens",
       [](const ZooVariant& variant) { return gpt("gpt3_27", 32, 2560, 32, 2048, variant); }},
  };
}

}  // namespace layersim::zoo
