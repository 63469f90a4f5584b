#pragma once
// Values that an archive holds, as plain data.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/import/torchscript/program.h"
#include "sim/import/torchscript/reader/archive.h"

namespace layersim {

class LiteralReader {
 public:
  // Tensors are added to `program`.
  LiteralReader(TorchArchive& archive, TorchProgram& program) : archive_(archive), program_(program) {}

  // Parameters come first, since code may reach them by other attributes as well.
  void add_parameters(const torch::jit::Module& module);

  // `name`: of a tensor; `parameter`: it is learned if it is of floating point;
  // `in_list`: it is part of a list, which may hold tensors that have another name already.
  [[nodiscard]] TorchLiteral literal(const c10::IValue& value, const std::string& name, bool parameter,
                                     bool in_list = false);

 private:
  std::int64_t add_tensor(const at::Tensor& tensor, const std::string& name, bool parameter, bool in_list);

  TorchArchive& archive_;
  TorchProgram& program_;
  [[nodiscard]] std::int64_t find_name(const std::string& name) const;
  [[nodiscard]] std::int64_t find_tensor(const std::string& place, const std::string& name);

  std::map<std::string, std::vector<std::int64_t>> tensors_;  // by their place in the archive
  std::map<std::string, std::int64_t> by_name_;
  std::set<std::pair<std::string, std::int64_t>> taken_;  // list attribute and tensor
};

}  // namespace layersim
