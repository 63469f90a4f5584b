// An export in evaluation mode folds a batch norm right behind a convolution into its weight and bias. In a
// training step the norms are there, so a time predicted from such a file is too short. What a folded file
// shows is a convolution with bias in an architecture that would not train without norms. The rules, in
// order:
//
//  0. A convolution whose result is read by a batch norm alone: the export keeps norms. Nothing was folded.
//  1. Weight and bias of a convolution both have a generated name ("onnx::Conv_193", "497") while other
//  weights have the
//     names of modules ("fc.weight"): PyTorch's exporter names only what it has computed anew.
//  2. Batch norms stand elsewhere (behind concatenations and additions, as in DenseNet), and only some of the
//  convolutions
//     have a bias: those lost their norm.
//  3. No norm of any kind, eight or more convolutions, all with bias, and one of: two or more residual
//  additions behind
//     convolutions in a network that reduces its resolution, two or more depthwise convolutions, or forty or
//     more convolutions. Networks that never had norms have none of this: LeNet, AlexNet, VGG, SqueezeNet,
//     U-Net of 2015.
//
// Convolutions at the end of a network and on single pixels (squeeze-and-excitation) have a bias of their own
// and are not counted. What this gets wrong: a plain network such as VGG with norms, folded and renamed by
// another tool, is not found; a residual or depthwise network that was made without norms (Fixup, NFNet) is
// taken for folded.

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "layers/layer_kind.h"
#include "sim/decompose/passes.h"

namespace layersim {
namespace {

constexpr std::size_t kFewConvolutions = 8;
constexpr std::size_t kManyConvolutions = 40;

// "onnx::Conv_193" or "497": digits at the end, no dot. What we have folded ourselves has such a name too
// (Identity nodes behind which the exporter merges equal weights) and does not count.
bool is_generated(const Rewriter& rewriter, ValueId value) {
  if (rewriter.sources().count(value) > 0) return false;
  const std::string_view name = rewriter.graph().value(value).name;
  if (name.find('.') != std::string_view::npos) return false;
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos) return !name.empty();
  return last + 1 < name.size() && name.starts_with("onnx::");
}

// What the rules ask about a network.
struct Survey {
  std::vector<NodeIndex> biased;   // convolutions with bias that are neither heads nor on single pixels
  std::vector<NodeIndex> renamed;  // those of them with generated names
  std::size_t unbiased = 0;
  std::size_t depthwise = 0;  // among the biased
  std::size_t residual_adds = 0;
  std::size_t other_norms = 0;
  std::size_t batch_norms = 0;
  bool norm_behind_convolution = false;
  bool reduces_resolution = false;
  bool has_module_names = false;
};

bool is_batch_norm(const Rewriter& rewriter, NodeIndex index) {
  return rewriter.is_op(index, "BatchNormalization");
}

// Nothing but views between the value and an output of the graph.
bool is_head(const Rewriter& rewriter, ValueId value) {
  for (int steps = 0; steps < 16; ++steps) {
    if (rewriter.is_graph_output(value)) return true;
    const NodeIndex next = rewriter.only_consumer(value);
    if (!rewriter.is_op(next, "Reshape") && !rewriter.is_op(next, "Flatten") &&
        !rewriter.is_op(next, "Transpose") && !rewriter.is_op(next, "Sigmoid") &&
        !rewriter.is_op(next, "Softmax")) {
      return false;
    }
    value = rewriter.node(next).output(0);
  }
  return false;
}

bool on_single_pixels(const Rewriter& rewriter, ValueId value) {
  const auto& shape = rewriter.graph().value(value).tensor.shape;
  return shape && shape->size() > 2 &&
         std::all_of(shape->begin() + 2, shape->end(), [](std::int64_t size) { return size == 1; });
}

bool is_strided(const Node& node) {
  const auto strides = node.ints_attribute("strides");
  return strides &&
         std::any_of(strides->begin(), strides->end(), [](std::int64_t stride) { return stride > 1; });
}

// Made by a convolution, perhaps through an activation.
bool comes_from_convolution(const Rewriter& rewriter, ValueId value) {
  NodeIndex producer = rewriter.producer(value);
  if (producer != kNoNode && activation_of_operator(rewriter.node(producer).op)) {
    producer = rewriter.producer(rewriter.node(producer).input(0));
  }
  return rewriter.is_op(producer, "Conv");
}

void survey_convolution(const Rewriter& rewriter, NodeIndex index, Survey& survey) {
  const Node& node = rewriter.node(index);
  survey.reduces_resolution = survey.reduces_resolution || is_strided(node);
  if (is_batch_norm(rewriter, rewriter.only_consumer(node.output(0)))) survey.norm_behind_convolution = true;
  if (node.output(0) == kNoValue || !rewriter.is_stored(node.input(1))) return;
  if (!rewriter.is_stored(node.input(2))) {
    ++survey.unbiased;
    return;
  }
  if (on_single_pixels(rewriter, node.output(0)) || is_head(rewriter, node.output(0))) return;
  survey.biased.push_back(index);
  const auto& weight = rewriter.graph().value(node.input(1));
  if (is_generated(rewriter, node.input(1)) && is_generated(rewriter, node.input(2))) {
    survey.renamed.push_back(index);
  }
  const auto groups = node.int_attribute("group").value_or(1);
  if (groups > 1 && weight.tensor.shape && weight.tensor.shape->size() > 1 &&
      (*weight.tensor.shape)[1] == 1) {
    ++survey.depthwise;
  }
}

Survey make_survey(const Rewriter& rewriter) {
  Survey survey;
  for (NodeIndex i = 0; i < rewriter.node_count(); ++i) {
    if (rewriter.removed(i)) continue;
    const Node& node = rewriter.node(i);
    const LayerKind* kind = find_operator_kind(node.domain, node.op);
    if (rewriter.is_op(i, "Conv")) {
      survey_convolution(rewriter, i, survey);
    } else if (is_batch_norm(rewriter, i)) {
      ++survey.batch_norms;
    } else if (kind != nullptr && (kind->name == "norm" || kind->name == "decomposed_norm")) {
      ++survey.other_norms;
    } else if (kind != nullptr && kind->name == "pool") {
      survey.reduces_resolution = survey.reduces_resolution || is_strided(node);
    } else if (rewriter.is_op(i, "Add") && !rewriter.is_stored(node.input(0)) &&
               !rewriter.is_stored(node.input(1)) &&
               (comes_from_convolution(rewriter, node.input(0)) ||
                comes_from_convolution(rewriter, node.input(1)))) {
      ++survey.residual_adds;
    }
  }
  for (const Value& value : rewriter.graph().values) {
    if (value.origin == Origin::weight && value.name.ends_with(".weight")) survey.has_module_names = true;
  }
  return survey;
}

}  // namespace

FoldedBatchNorms find_folded_batchnorm(const Rewriter& rewriter) {
  const Survey survey = make_survey(rewriter);
  if (survey.norm_behind_convolution) return {};
  if (survey.has_module_names && survey.renamed.size() >= 2) {
    return {survey.renamed, "their weights were computed by the export"};
  }
  if (survey.batch_norms > 0 && survey.unbiased > 0 && survey.biased.size() >= 2) {
    return {survey.biased, "other convolutions have no bias and batch norms stand elsewhere"};
  }
  if (survey.batch_norms + survey.other_norms + survey.unbiased > 0 ||
      survey.biased.size() < kFewConvolutions)
    return {};
  if (survey.depthwise >= 2) return {survey.biased, "a depthwise network without any norm"};
  if (survey.residual_adds >= 2 && survey.reduces_resolution) {
    return {survey.biased, "a residual network without any norm"};
  }
  if (survey.biased.size() >= kManyConvolutions) return {survey.biased, "a deep network without any norm"};
  return {};
}

}  // namespace layersim
