#include "sim/timing/step_memory.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "sim/timing/tensor_memory.h"

namespace layersim {
namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// Bytes that lie in memory now, and the most that ever did.
class Gauge {
 public:
  void add(double bytes) {
    now_ += bytes;
    peak_ = std::max(peak_, now_);
  }
  void remove(double bytes) { now_ -= bytes; }
  [[nodiscard]] double peak() const { return peak_; }

 private:
  double now_ = 0;
  double peak_ = 0;
};

// Gradients of tensors, several of which may share one piece of memory.
class Gradients {
 public:
  Gradients(const TensorMemory& tensors, std::size_t values, Gauge& gauge)
      : tensors_(tensors), gauge_(gauge), block_of_(values, kNever) {}

  [[nodiscard]] bool has(ValueId value) const { return block_of_[index(value)] != kNever; }

  // One that nothing is added to yet, or one that lies beside the sum until it is added.
  void contribute(ValueId value) {
    const double bytes = tensors_.bytes_of(value);
    gauge_.add(bytes);
    if (!has(value)) {
      start(value, bytes);
      return;
    }
    Block& block = blocks_[block_of_[index(value)]];
    if (block.users > 1) {  // others read the sum so far: the new sum is a tensor of its own
      --block.users;
      start(value, bytes);
    } else {
      gauge_.remove(bytes);
    }
  }

  // The gradient of `source` is that of `value` too, or is added to it.
  void share(ValueId source, ValueId value) {
    if (has(value) || !has(source)) {
      contribute(value);
      return;
    }
    block_of_[index(value)] = block_of_[index(source)];
    ++blocks_[block_of_[index(value)]].users;
  }

  void release(ValueId value) {
    if (!has(value)) return;
    Block& block = blocks_[block_of_[index(value)]];
    block_of_[index(value)] = kNever;
    if (--block.users == 0) gauge_.remove(block.bytes);
  }

 private:
  struct Block {
    double bytes;
    int users;
  };

  static std::size_t index(ValueId value) { return static_cast<std::size_t>(value); }

  void start(ValueId value, double bytes) {
    block_of_[index(value)] = blocks_.size();
    blocks_.push_back({bytes, 1});
  }

  const TensorMemory& tensors_;
  Gauge& gauge_;
  std::vector<std::size_t> block_of_;  // by value
  std::vector<Block> blocks_;
};

class StepMemory {
 public:
  StepMemory(const Network& network, std::span<const double> repeats, bool is_training)
      : network_(network), repeats_(repeats), tensors_(network), lives_(network.graph.values.size()) {
    note_readers();
    if (is_training) note_keepers();
  }

  double forward_peak() {
    run_forward();
    return gauge_.peak();
  }

  double training_peak() {
    run_forward();
    run_backward();
    return gauge_.peak();
  }

 private:
  struct Life {
    bool is_there = false;
    bool stays = false;                 // input or output of the network
    std::size_t last_reader = 0;        // in the forward pass
    std::size_t first_keeper = kNever;  // the last to read it in the backward pass
    double times = 1;                   // copies, one for each iteration of a loop that keeps it
  };

  Life& life(ValueId root) { return lives_[static_cast<std::size_t>(root)]; }
  double bytes_of(ValueId root) { return tensors_.bytes_of(root) * life(root).times; }

  template <typename Use>
  void for_roots(const std::vector<ValueId>& values, Use&& use) {
    for (const ValueId value : values) {
      if (const ValueId root = tensors_.root(value); root != kNoValue) use(root);
    }
  }

  void note_readers() {
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      for_roots(network_.layers[i].outputs, [&](ValueId root) { life(root).last_reader = i; });
      for_roots(network_.layers[i].inputs, [&](ValueId root) { life(root).last_reader = i; });
    }
    for_roots(network_.graph.inputs, [&](ValueId root) { life(root).stays = true; });
    for_roots(network_.graph.outputs, [&](ValueId root) { life(root).stays = true; });
  }

  void note_keepers() {
    other_bytes_.assign(network_.layers.size(), 0);
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      if (repeats_[i] == 0) continue;
      const KeptTensors kept = kept_tensors(network_, i);
      other_bytes_[i] = repeats_[i] * kept.other_bytes;
      for_roots(kept.values, [&](ValueId root) {
        life(root).first_keeper = std::min(life(root).first_keeper, i);
        life(root).times = std::max(life(root).times, repeats_[i]);
      });
    }
  }

  void appear(ValueId root) {
    if (life(root).is_there) return;
    life(root).is_there = true;
    gauge_.add(bytes_of(root));
  }

  void vanish(ValueId root) {
    if (!life(root).is_there || life(root).stays) return;
    life(root).is_there = false;
    gauge_.remove(bytes_of(root));
  }

  void run_forward() {
    for_roots(network_.graph.inputs, [&](ValueId root) { appear(root); });
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      if (repeats_[i] == 0) continue;
      const Layer& layer = network_.layers[i];
      for_roots(layer.outputs, [&](ValueId root) { appear(root); });
      if (!other_bytes_.empty()) gauge_.add(other_bytes_[i]);
      const auto release = [&](ValueId root) {
        if (life(root).last_reader <= i && life(root).first_keeper == kNever) vanish(root);
      };
      for_roots(layer.inputs, release);
      for_roots(layer.outputs, release);
    }
  }

  void run_backward() {
    Gradients gradients(tensors_, lives_.size(), gauge_);
    std::vector<bool> takes_gradient(lives_.size(), false);  // by root
    for (const Layer& layer : network_.layers) {
      if (!runs_backward(layer)) continue;
      for_roots(layer.outputs, [&](ValueId root) { takes_gradient[static_cast<std::size_t>(root)] = true; });
    }
    double loss_bytes = 0;
    for_roots(network_.graph.outputs, [&](ValueId root) {
      if (takes_gradient[static_cast<std::size_t>(root)]) loss_bytes += tensors_.bytes_of(root);
    });
    gauge_.add(loss_bytes);
    for_roots(network_.graph.outputs, [&](ValueId root) {
      if (takes_gradient[static_cast<std::size_t>(root)] && !gradients.has(root)) gradients.contribute(root);
    });
    gauge_.remove(loss_bytes);

    for (std::size_t i = network_.layers.size(); i-- > 0;) {
      const Layer& layer = network_.layers[i];
      if (repeats_[i] == 0) continue;
      if (runs_backward(layer)) pass_gradients(layer, takes_gradient, gradients);
      gauge_.remove(other_bytes_[i]);
      for_roots(layer.outputs, [&](ValueId root) { gradients.release(root); });
      const auto release = [&](ValueId root) {
        if (life(root).first_keeper == i) vanish(root);
      };
      for_roots(layer.inputs, release);
      for_roots(layer.outputs, release);
    }
  }

  void pass_gradients(const Layer& layer, const std::vector<bool>& takes_gradient, Gradients& gradients) {
    const bool passes_on = layer.problem.kind != nullptr && layer.work.backward_data.bytes() == 0;
    const ValueId output = layer.outputs.empty() ? kNoValue : tensors_.root(layer.outputs.front());
    for_roots(layer.inputs, [&](ValueId root) {
      if (!takes_gradient[static_cast<std::size_t>(root)]) return;
      if (passes_on && output != kNoValue) {
        gradients.share(output, root);
      } else {
        gradients.contribute(root);
      }
    });
  }

  const Network& network_;
  std::span<const double> repeats_;
  TensorMemory tensors_;
  std::vector<Life> lives_;          // by value; those of roots count
  std::vector<double> other_bytes_;  // by layer; empty in forward mode
  Gauge gauge_;
};

}  // namespace

double peak_forward_bytes(const Network& network, std::span<const double> repeats) {
  return StepMemory(network, repeats, false).forward_peak();
}

double peak_training_bytes(const Network& network, std::span<const double> repeats) {
  return StepMemory(network, repeats, true).training_peak();
}

}  // namespace layersim
