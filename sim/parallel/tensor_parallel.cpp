#include "sim/parallel/tensor_parallel.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "sim/core/error.h"

namespace layersim {
namespace {

// The sizes that the devices divide among them where a layer lies within a cut part.
struct CutSizes {
  std::string_view kind;
  std::array<std::string_view, 3> sizes;
};
constexpr std::array kCutSizes{
    CutSizes{"matmul", {"batch", "matrices_a", "matrices_b"}},
    CutSizes{"attention", {"heads", "kv_heads"}},
    CutSizes{"softmax", {"rows"}},
    CutSizes{"elementwise", {"elements", "operand_elements"}},
    CutSizes{"activation", {"elements"}},
    CutSizes{"concat", {"elements"}},
    CutSizes{"data_movement", {"elements_read", "elements_written"}},
};

class Sharer {
 public:
  Sharer(Network network, int devices) : devices_(devices) { share_.network = std::move(network); }

  TensorParallelShare take() {
    std::vector<Layer>& layers = share_.network.layers;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      for (const ValueId output : layers[i].outputs) layer_of_[output] = i;
    }
    find_token_table();
    std::size_t first = 0;
    for (const Node& node : share_.network.graph.nodes) {
      const auto found = layer_of_.find(node.output(0));
      if (found == layer_of_.end()) {
        pass_on(node);
        continue;
      }
      // Layers of one node stand together, the last one with the node's outputs.
      const std::span<Layer> of_node(layers.data() + std::min(first, found->second),
                                     layers.data() + found->second + 1);
      first = found->second + 1;
      share_node(node, of_node);
    }
    if (!any_)
      throw bad_use("tensor parallelism cuts dense layers, and the network has none that can be cut");
    return std::move(share_);
  }

 private:
  [[nodiscard]] bool is_cut(ValueId id) const { return cut_.count(id) > 0; }
  [[nodiscard]] bool has_cut_input(const Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return is_cut(id); });
  }

  void pass_on(const Node& node) {
    if (has_cut_input(node)) cut_outputs(node);
  }

  void share_node(const Node& node, std::span<Layer> layers) {
    Layer& last = layers.back();
    const std::string_view kind = last.problem.kind == nullptr ? "" : last.problem.kind->name;
    const bool cut_before = has_cut_input(node);
    if (kind == "dense" && layers.size() == 1) {
      share_dense(node, last, cut_before);
    } else if (kind == "embedding" && &last == token_table_) {
      share_weights(last);
      share_.forward_bytes.push_back(output_bytes(last));
    } else if (cut_before) {
      for (Layer& layer : layers) cut_within(layer);
      cut_outputs(node);
    }
  }

  void share_dense(const Node& node, Layer& layer, bool cut_before) {
    const std::string_view size = cut_before ? "in_features" : "out_features";
    if (layer.problem.size(size) < devices_) return;
    if (cut_before) {
      share_.forward_bytes.push_back(output_bytes(layer));
    } else {
      // The gradient of its input has a part from each device; several layers share one input and one sum.
      for (const ValueId input : layer.inputs) {
        if (layer.needs_input_gradient && summed_.insert(input).second)
          share_.backward_bytes.push_back(value_bytes(input));
      }
      cut_outputs(node);
    }
    divide(layer, std::array{size});
    share_weights(layer);
    any_ = true;
  }

  void cut_within(Layer& layer) const {
    if (layer.problem.kind == nullptr) return;
    for (const CutSizes& cut : kCutSizes) {
      if (cut.kind == layer.problem.kind->name) divide(layer, cut.sizes);
    }
  }

  template <std::size_t N>
  void divide(Layer& layer, const std::array<std::string_view, N>& names) const {
    const auto& parameters = layer.problem.kind->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (std::find(names.begin(), names.end(), parameters[i].name) == names.end()) continue;
      std::int64_t& size = layer.problem.sizes[i];
      size = size == 0 ? 0 : std::max<std::int64_t>((size + devices_ - 1) / devices_, 1);
    }
    layer.work = layer.problem.kind->work(layer.problem);
  }

  void share_weights(Layer& layer) {
    const double rest = 1 - 1.0 / devices_;
    share_.network.params -= layer.params * rest;
    share_.network.frozen_params -= layer.frozen_params * rest;
    share_.network.weight_bytes -= layer.weight_bytes * rest;
    layer.params /= devices_;
    layer.frozen_params /= devices_;
    layer.weight_bytes /= devices_;
  }

  // Of the tensor only the number of elements counts from here on: the last axis that can be divided is.
  void cut_outputs(const Node& node) {
    for (const ValueId id : node.outputs) {
      if (id == kNoValue || !cut_.insert(id).second) continue;
      auto& shape = share_.network.graph.value(id).tensor.shape;
      if (!shape) continue;
      const auto axis = std::find_if(shape->rbegin(), shape->rend(), [&](std::int64_t size) {
        return size >= devices_ && size % devices_ == 0;
      });
      if (axis != shape->rend()) *axis /= devices_;
    }
  }

  // The largest table is that of the tokens, and each device has its share of its rows.
  void find_token_table() {
    std::int64_t most_rows = 0;
    for (const Layer& layer : share_.network.layers) {
      if (layer.problem.kind == nullptr || layer.problem.kind->name != "embedding") continue;
      const std::int64_t rows = layer.problem.size("table_rows");
      if (rows <= most_rows) continue;
      most_rows = rows;
      token_table_ = &layer;
    }
  }

  [[nodiscard]] double value_bytes(ValueId id) const {
    const Tensor& tensor = share_.network.graph.value(id).tensor;
    if (!tensor.shape || !is_known(*tensor.shape)) return 0;
    return static_cast<double>(element_count(*tensor.shape)) * bytes(tensor.dtype);
  }
  [[nodiscard]] double output_bytes(const Layer& layer) const { return value_bytes(layer.outputs.front()); }

  int devices_;
  TensorParallelShare share_;
  std::map<ValueId, std::size_t> layer_of_;
  const Layer* token_table_ = nullptr;
  std::set<ValueId> cut_;
  std::set<ValueId> summed_;
  bool any_ = false;
};

}  // namespace

TensorParallelShare share_network(Network network, int devices) {
  return Sharer(std::move(network), devices).take();
}

}  // namespace layersim
