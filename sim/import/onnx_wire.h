#pragma once
// The weightless skeleton of an ONNX file.
//
// An ONNX file is one protobuf message in which weights lie between the nodes. read_onnx_skeleton walks the
// wire format and jumps over what it does not need: payloads of large tensors (raw and typed), documentation,
// metadata, training graphs. The pages of the file that hold weights are never touched. What remains is valid
// protobuf, never longer than the file, that the protobuf classes can decode; every structural fault has been
// found before, with its byte offset.
//
// Decoding a large network in one go would take many times the memory of the file. So the bulk of the outer
// graph (nodes, stored tensors, value_info) is kept apart from the model, one encoded message each, to be
// decoded one after the other.

#include <string>
#include <string_view>
#include <vector>

namespace layersim {

// Contents of floating-point tensors are kept up to this many elements (scales, epsilons, exponents of
// patterns); those of integer and bool tensors up to kMaxConstantElements.
inline constexpr std::int64_t kMaxRealElements = 64;

struct OnnxSkeleton {
  struct Range {
    std::uint32_t begin;
    std::uint32_t size;
  };

  std::string bytes;         // of the whole file
  std::string model;         // the ModelProto without what follows
  std::vector<Range> nodes;  // each a message in `bytes`
  std::vector<Range> initializers;
  std::vector<Range> value_info;
  std::vector<std::string> left_out;  // attributes too large to read, each as a line for the user
};

// Throws bad_input naming the byte offset and the message ("graph > node 12 > attribute 0").
[[nodiscard]] OnnxSkeleton read_onnx_skeleton(std::string_view file);

}  // namespace layersim
