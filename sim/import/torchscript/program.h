#pragma once
// A TorchScript network as plain data: the forward method with all calls written out in place and all
// attributes of modules replaced by what they hold. The module with libtorch fills it (reader/), the importer
// makes the neutral graph of it, so that nothing but the reader needs libtorch.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/dtype.h"
#include "sim/core/shape.h"
#include "sim/graph/graph.h"

namespace layersim {

// A tensor in the archive.
struct TorchTensor {
  std::string name;  // path of the attribute ("features.0.weight"); "constant.3" for one without
  DType dtype = DType::unknown;
  Shape shape;
  bool parameter = false;                    // of the module, or a floating-point constant of frozen code
  std::shared_ptr<const Constant> contents;  // of small integer, bool and scalar tensors
};

// A value that the archive fixes.
struct TorchLiteral {
  enum class Kind : unsigned char { none, boolean, integer, real, text, tensor, list, tuple, other };
  Kind kind = Kind::none;
  std::int64_t integer = 0;  // also of a bool; of a tensor: its index in TorchProgram::tensors
  double real = 0;
  std::string text;                    // of `other`: what it is, for messages
  std::vector<TorchLiteral> elements;  // of a list or tuple
};

using TorchValueId = std::int32_t;  // below TorchProgram::value_count

struct TorchBlock;

struct TorchNode {
  std::string kind;  // "aten::conv2d", "prim::If"
  std::string path;  // of the module that it runs in: "features.0"; empty for the network itself
  std::vector<TorchValueId> inputs;
  std::vector<TorchValueId> outputs;
  std::vector<TorchBlock> blocks;
  TorchLiteral literal;  // of prim::Constant
};

struct TorchBlock {
  std::vector<TorchValueId> inputs;
  std::vector<TorchNode> nodes;
  std::vector<TorchValueId> outputs;
};

struct TorchArgument {
  enum class Kind : unsigned char { tensor, tuple, optional_tensor, other };
  std::string name;
  Kind kind = Kind::other;
  std::string type;  // as TorchScript spells it
  bool has_default = false;
  TorchLiteral default_value;
  std::vector<TorchArgument> elements;  // of a tuple
};

struct TorchProgram {
  std::vector<TorchArgument> arguments;  // of forward, without self; parallel to body.inputs
  TorchBlock body;
  std::vector<TorchTensor> tensors;
  std::int32_t value_count = 0;
};

}  // namespace layersim
