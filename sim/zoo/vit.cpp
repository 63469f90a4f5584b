// Vision transformers: ViT (Dosovitskiy et al. 2020) and, the same but smaller, DeiT without distillation
// (Touvron et al. 2020).

#include "sim/zoo/attention.h"

namespace layersim::zoo {
namespace {

// Puts a learned token before the others of each image.
Features prepend_class_token(Net& net, Features tokens, ValueId input) {
  const Features token{net.weight("class_token", {1, 1, tokens.channels}), tokens.channels};
  const std::vector<Attribute> first_axis{{"start", std::int64_t{0}}, {"end", std::int64_t{1}}};
  const Features batch = net.node("Shape", "class_token.batch", {input}, 1, first_axis);
  const Features rest{net.ints("class_token.rest", {1, tokens.channels}), 1};
  const ValueId shape = net.concat("class_token.shape", {batch, rest}, 0).id;
  const ValueId expanded = net.node("Expand", "class_token.expand", {token.id, shape}, tokens.channels).id;
  return net.node("Concat", "concat", {expanded, tokens.id}, tokens.channels, {{"axis", std::int64_t{1}}});
}

Features encoder_layer(Net& net, const std::string& name, Features x, std::int64_t heads) {
  const std::string attn = name + ".self_attention";
  const Features normed = net.layer_norm(name + ".ln_1", x);
  const auto qkv =
      net.split(attn + ".split", net.token_linear(attn + ".in_proj", normed, 3 * x.channels), 2, 3);
  Features y = attention(net, attn, qkv[0], qkv[1], qkv[2], {.heads = heads, .scale_query = true});
  x = net.add(name + ".add_1", net.token_linear(attn + ".out_proj", y, x.channels), x);
  y = net.layer_norm(name + ".ln_2", x);
  return net.add(name + ".add_2", x,
                 feed_forward(net, name + ".mlp.0", name + ".mlp.3", y, 4 * x.channels, Act::gelu));
}

Graph vit(std::string_view name, std::int64_t patch, int layers, std::int64_t channels, std::int64_t heads,
          const ZooVariant& variant) {
  channels = variant.channels(channels, heads);
  layers = variant.layers(layers);
  const std::int64_t size = variant.size(224);
  const std::int64_t patches = (size / patch) * (size / patch);
  Net net(name, 20);
  const Features image = net.image(size);
  Features x =
      net.conv("conv_proj", image, channels, {.kernel = patch, .stride = patch, .padding = 0, .bias = true});
  x = net.transpose("transpose", net.reshape("reshape", x, {0, channels, patches}), {0, 2, 1});
  x = prepend_class_token(net, x, image.id);
  x = net.add("encoder.add", x, {net.weight("encoder.pos_embedding", {1, patches + 1, channels}), channels});
  for (int i = 0; i < layers; ++i) {
    x = encoder_layer(net, "encoder.layers.encoder_layer_" + std::to_string(i), x, heads);
  }
  x = net.layer_norm("encoder.ln", x);
  const ValueId first = net.builder().constant("class_index", std::vector<std::int64_t>{0}, Shape{});
  x = net.node("Gather", "class_features", {x.id, first}, channels, {{"axis", std::int64_t{1}}});
  return net.finish(net.linear("heads.head", x, 1000));
}

}  // namespace

std::vector<ZooNetwork> vit_networks() {
  return {
      {"vit_b_16", "vit", "ViT-B/16 (Dosovitskiy et al. 2020), 1000 classes, 224x224",
       [](const ZooVariant& variant) { return vit("vit_b_16", 16, 12, 768, 12, variant); }},
      {"vit_b_32", "vit", "ViT-B/32 (Dosovitskiy et al. 2020), 1000 classes, 224x224",
       [](const ZooVariant& variant) { return vit("vit_b_32", 32, 12, 768, 12, variant); }},
      {"vit_l_16", "vit", "ViT-L/16 (Dosovitskiy et al. 2020), 1000 classes, 224x224",
       [](const ZooVariant& variant) { return vit("vit_l_16", 16, 24, 1024, 16, variant); }},
      {"vit_l_32", "vit", "ViT-L/32 (Dosovitskiy et al. 2020), 1000 classes, 224x224",
       [](const ZooVariant& variant) { return vit("vit_l_32", 32, 24, 1024, 16, variant); }},
      {"vit_h_14", "vit", "ViT-H/14 (Dosovitskiy et al. 2020), 1000 classes, 224x224",
       [](const ZooVariant& variant) { return vit("vit_h_14", 14, 32, 1280, 16, variant); }},
      {"deit_tiny", "vit", "DeiT-Ti/16 (Touvron et al. 2020), 1000 classes, 224x224",
       [](const ZooVariant& variant) { return vit("deit_tiny", 16, 12, 192, 3, variant); }},
      {"deit_small", "vit", "DeiT-S/16 (Touvron et al. 2020), 1000 classes, 224x224",
       [](const ZooVariant& variant) { return vit("deit_small", 16, 12, 384, 6, variant); }},
  };
}

}  // namespace layersim::zoo
