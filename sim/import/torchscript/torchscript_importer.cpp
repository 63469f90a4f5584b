#include "sim/import/torchscript/torchscript_importer.h"

#include "sim/core/error.h"
#include "sim/core/module_loader.h"
#include "sim/import/torchscript/converter.h"
#include "sim/import/torchscript/reader_module.h"

namespace layersim {

Graph import_torchscript(const std::filesystem::path& file, const ShapeBindings& bindings,
                         Warnings& warnings) {
  using Entry = decltype(&layersim_read_torchscript);
  const auto read = reinterpret_cast<Entry>(  // NOLINT: as POSIX has it
      find_module_entry("layersim_torchscript.so", "layersim_read_torchscript"));
  if (read == nullptr) {
    throw bad_use(
        "is a TorchScript archive, and this program was built or installed without libtorch, which reads "
        "them; "
        "export the network to ONNX (torch.onnx.export), or install libtorch-dev and build again");
  }
  TorchProgram program;
  read(file.string(), program);
  return TorchConverter(program, bindings, warnings).convert();
}

}  // namespace layersim
