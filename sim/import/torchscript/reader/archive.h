#pragma once
// A TorchScript archive (a zip of code, pickles and tensors) opened without running anything in it and
// without reading the bytes of its tensors.

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import_source.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/graph/graph.h"

namespace layersim {

class TorchArchive {
 public:
  // Throws bad_input or c10::Error.
  explicit TorchArchive(const std::string& file);

  [[nodiscard]] torch::jit::Module module();

  // The numbers in a tensor that the archive holds; nullptr when they are many or the archive has fewer than
  // the tensor's sizes and strides say.
  [[nodiscard]] std::shared_ptr<const Constant> contents(const at::Tensor& tensor);

 private:
  [[nodiscard]] std::shared_ptr<torch::jit::Source> find_source(const std::string& qualifier);
  [[nodiscard]] c10::IValue unpickle(const std::string& name);

  caffe2::serialize::PyTorchStreamReader reader_;
  std::shared_ptr<torch::jit::CompilationUnit> unit_ = std::make_shared<torch::jit::CompilationUnit>();
  std::vector<at::IValue> constants_;
  torch::jit::SourceImporter sources_;
};

}  // namespace layersim
