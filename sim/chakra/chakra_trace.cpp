#include "sim/chakra/chakra_trace.h"

#include <google/protobuf/util/delimited_message_util.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "execution_trace.pb.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

// Of Chakra's collectives.
constexpr std::int64_t kAllReduce = 0;

chakra::Attribute& add_attribute(chakra::Node& node, const char* name) {
  chakra::Attribute& attribute = *node.add_attributes();
  attribute.set_name(name);
  return attribute;
}

class Trace {
 public:
  explicit Trace(const Report& report) : report_(report) {
    chakra::Header header;
    header.set_version("0.0.4");
    write(header);
  }

  std::string take() {
    const std::vector<LayerReport>& layers = report_.layers;
    for (const LayerReport& layer : layers)
      compute("forward " + layer.name, layer.time.forward_ms, layer.flop, layer.bytes);
    std::vector<std::uint64_t> sums;
    for (std::size_t i = layers.size(); i-- > 0;) {
      const LayerReport& layer = layers[i];
      // The gradients of input and weights are two products of the forward pass's size.
      compute("backward " + layer.name, layer.time.backward_ms, 2 * layer.flop, 2 * layer.bytes);
      for (const BucketReport& bucket : report_.run->parallel->buckets) {
        if (bucket.last_layer == i) sums.push_back(all_reduce(sums.size(), bucket.bytes, sums));
      }
    }
    sums_ = std::move(sums);
    for (const LayerReport& layer : layers)
      compute("update " + layer.name, layer.time.optimizer_ms, layer.params, layer.weight_bytes);
    return out_.str();
  }

 private:
  void write(const google::protobuf::Message& message) {
    google::protobuf::util::SerializeDelimitedToOstream(message, &out_);
  }

  // Whole micro-seconds, rounded so that the sum over all nodes stays true.
  std::uint64_t duration_us(double ms) {
    const double before = std::round(1000 * computed_ms_);
    computed_ms_ += ms;
    return static_cast<std::uint64_t>(std::round(1000 * computed_ms_) - before);
  }

  chakra::Node next_node(const std::string& name, chakra::NodeType type) {
    chakra::Node node;
    node.set_id(next_id_++);
    node.set_name(name);
    node.set_type(type);
    add_attribute(node, "is_cpu_op").set_bool_value(false);
    return node;
  }

  // After the one before; the first update waits for all sums as well.
  void compute(const std::string& name, double ms, double operations, double bytes) {
    if (ms <= 0) return;
    chakra::Node node = next_node(name, chakra::NODE_COMPUTE);
    if (last_compute_) node.add_data_dependencies(*last_compute_);
    for (const std::uint64_t sum : sums_) node.add_data_dependencies(sum);
    sums_.clear();
    node.set_duration_us(duration_us(ms));
    add_attribute(node, "num_ops").set_int64_value(static_cast<std::int64_t>(operations));
    add_attribute(node, "tensor_size").set_uint64_value(static_cast<std::uint64_t>(bytes));
    last_compute_ = node.id();
    write(node);
  }

  // One after the other, each behind the layer that fills its bucket.
  std::uint64_t all_reduce(std::size_t index, double bytes, const std::vector<std::uint64_t>& before) {
    chakra::Node node = next_node("gradients " + std::to_string(index), chakra::NODE_COLLECTIVE);
    if (last_compute_) node.add_data_dependencies(*last_compute_);
    if (!before.empty()) node.add_data_dependencies(before.back());
    add_attribute(node, "comm_type").set_int64_value(kAllReduce);
    add_attribute(node, "comm_size").set_int64_value(static_cast<std::int64_t>(bytes));
    write(node);
    return node.id();
  }

  const Report& report_;
  std::ostringstream out_;
  std::uint64_t next_id_ = 0;
  double computed_ms_ = 0;
  std::optional<std::uint64_t> last_compute_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace

std::string to_chakra(const Report& report) {
  if (!report.run || !report.run->parallel || report.run->parallel->buckets.empty()) {
    throw bad_use("a Chakra trace is of data parallel training: --n-gpus N --parallel ddp");
  }
  return Trace(report).take();
}

void write_chakra(const Report& report, const std::string& prefix) {
  const std::string trace = to_chakra(report);
  const auto file_of = [&](int gpu) { return prefix + '.' + std::to_string(gpu) + ".et"; };
  std::error_code ignored;
  for (int gpu = 0; gpu < report.run->n_gpus; ++gpu) {
    std::filesystem::remove(file_of(gpu), ignored);
    // All have the same contents: links take no room, where the file system has them.
    std::error_code no_link;
    if (gpu > 0) std::filesystem::create_hard_link(file_of(0), file_of(gpu), no_link);
    if (gpu > 0 && !no_link) continue;
    std::ofstream file(file_of(gpu), std::ios::binary);
    file.write(trace.data(), static_cast<std::streamsize>(trace.size()));
    file.close();
    if (!file) throw bad_use(file_of(gpu) + ": cannot be written: " + std::strerror(errno));
  }
}

std::vector<ChakraNode> read_chakra(const std::string& trace) {
  std::istringstream stream(trace);
  google::protobuf::io::IstreamInputStream input(&stream);
  bool at_end = false;
  chakra::Header header;
  if (!google::protobuf::util::ParseDelimitedFromZeroCopyStream(&header, &input, &at_end)) {
    throw bad_input("is no Chakra trace");
  }
  std::vector<ChakraNode> nodes;
  for (;;) {
    chakra::Node node;
    if (!google::protobuf::util::ParseDelimitedFromZeroCopyStream(&node, &input, &at_end)) break;
    ChakraNode& read = nodes.emplace_back();
    read.id = node.id();
    read.name = node.name();
    read.is_collective = node.type() == chakra::NODE_COLLECTIVE;
    read.dependencies.assign(node.data_dependencies().begin(), node.data_dependencies().end());
    read.duration_us = node.duration_us();
    for (const chakra::Attribute& attribute : node.attributes()) {
      if (attribute.name() == "comm_size") read.bytes = attribute.int64_value();
    }
  }
  if (!at_end) throw bad_input("the Chakra trace is cut off or damaged");
  return nodes;
}

}  // namespace layersim
