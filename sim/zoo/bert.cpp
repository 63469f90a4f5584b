// BERT (Devlin et al. 2018) with its head for masked words, whose matrix is tied to the word embedding, or
// with the one that classifies the whole text by its first token.

#include <limits>

#include "sim/zoo/attention.h"

namespace layersim::zoo {
namespace {

constexpr double kDropout = 0.1;
constexpr std::int64_t kVocabulary = 30522;
constexpr std::int64_t kLength = 512;

// 0 where attention_mask [N, S] is 1, the lowest number where it is 0; [N, 1, 1, S].
ValueId additive_mask(Net& net, ValueId attention_mask) {
  constexpr std::int64_t kFloat = 1;  // ONNX's TensorProto.DataType
  const ValueId axes = net.ints("mask.axes", {1, 2});
  const ValueId spread = net.node("Unsqueeze", "mask.unsqueeze", {attention_mask, axes}, 1).id;
  const ValueId as_float = net.node("Cast", "mask.cast", {spread}, 1, {{"to", kFloat}}).id;
  const ValueId inverted = net.node("Sub", "mask.sub", {net.scalar("mask.one", 1.0), as_float}, 1).id;
  const ValueId lowest = net.scalar("mask.lowest", std::numeric_limits<float>::lowest());
  return net.node("Mul", "mask.mul", {inverted, lowest}, 1).id;
}

Features encoder_layer(Net& net, const std::string& name, Features x, const AttentionOptions& options) {
  const std::int64_t channels = x.channels;
  const std::string self = name + ".attention.self";
  const Features q = net.token_linear(self + ".query", x, channels);
  const Features k = net.token_linear(self + ".key", x, channels);
  const Features v = net.token_linear(self + ".value", x, channels);
  const std::string output = name + ".attention.output";
  Features y = net.token_linear(output + ".dense", attention(net, self, q, k, v, options), channels);
  x = net.add(output + ".add", net.dropout(output + ".dropout", y, kDropout), x);
  x = net.layer_norm(output + ".LayerNorm", x);
  y = feed_forward(net, name + ".intermediate.dense", name + ".output.dense", x, 4 * channels, Act::gelu);
  x = net.add(name + ".output.add", net.dropout(name + ".output.dropout", y, kDropout), x);
  return net.layer_norm(name + ".output.LayerNorm", x);
}

enum class Head : unsigned char { masked_words, classifier };

Features masked_words_head(Net& net, Features x, const Features& words) {
  const std::string head = "cls.predictions.";
  x = net.activation(head + "transform.act", net.token_linear(head + "transform.dense", x, x.channels),
                     Act::gelu);
  x = net.layer_norm(head + "transform.LayerNorm", x);
  x = net.times_table(head + "decoder", x, words, kVocabulary);
  return net.add_bias(head + "decoder", x);
}

Features classifier_head(Net& net, Features x) {
  constexpr std::int64_t kTokenAxis = 1;
  constexpr std::int64_t kClasses = 2;
  const ValueId first = net.ints("bert.pooler.first", {0});
  x = net.node("Gather", "bert.pooler.token", {x.id, first}, x.channels, {{"axis", kTokenAxis}});
  x = net.activation("bert.pooler.activation", net.token_linear("bert.pooler.dense", x, x.channels),
                     Act::tanh);
  return net.token_linear("classifier", net.dropout("dropout", x, kDropout), kClasses);
}

Graph bert(std::string_view name, int layers, std::int64_t channels, std::int64_t heads, Head head,
           const ZooVariant& variant) {
  variant.check_no_images(name);
  channels = variant.channels(channels, heads);
  layers = variant.layers(layers);
  Net net(name, 20);
  const ValueId ids = net.tokens("input_ids", kLength);
  const ValueId attention_mask = net.tokens("attention_mask", kLength);
  const ValueId token_types = net.tokens("token_type_ids", kLength);

  const std::string embeddings = "bert.embeddings.";
  const Features words = net.table(embeddings + "word_embeddings", kVocabulary, channels);
  const Features types = net.table(embeddings + "token_type_embeddings", 2, channels);
  const Features places = net.table(embeddings + "position_embeddings", kLength, channels);
  Features x = net.lookup(embeddings + "word_embeddings", words, ids);
  x = net.add(embeddings + "add_1", x, net.lookup(embeddings + "token_type_embeddings", types, token_types));
  x = net.add(embeddings + "add_2", x,
              net.lookup(embeddings + "position_embeddings", places, positions(net, ids)));
  x = net.dropout(embeddings + "dropout", net.layer_norm(embeddings + "LayerNorm", x), kDropout);

  const ValueId mask = additive_mask(net, attention_mask);
  const AttentionOptions options{
      .heads = heads, .dropout = kDropout, .adjust = [&](const std::string& path, Features scores) {
        return net.node("Add", path + ".mask", {scores.id, mask}, scores.channels);
      }};
  for (int i = 0; i < layers; ++i)
    x = encoder_layer(net, "bert.encoder.layer." + std::to_string(i), x, options);

  return net.finish(head == Head::classifier ? classifier_head(net, x) : masked_words_head(net, x, words),
                    "logits");
}

}  // namespace

std::vector<ZooNetwork> bert_networks() {
  return {
      {"bert_base", "bert", "BERT base (Devlin et al. 2018) with masked-word head, 512 tokens",
       [](const ZooVariant& variant) { return bert("bert_base", 12, 768, 12, Head::masked_words, variant); }},
      {"bert_large", "bert", "BERT large (Devlin et al. 2018) with masked-word head, 512 tokens",
       [](const ZooVariant& variant) {
         return bert("bert_large", 24, 1024, 16, Head::masked_words, variant);
       }},
      {"bert_large_classifier", "bert",
       "BERT large (Devlin et al. 2018) as a classifier of texts, 512 tokens",
       [](const ZooVariant& variant) {
         return bert("bert_large_classifier", 24, 1024, 16, Head::classifier, variant);
       }},
  };
}

}  // namespace layersim::zoo
