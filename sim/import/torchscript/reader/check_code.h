#pragma once
// What libtorch would run of an archive's code while it only loads it: the __setstate__ of a class whose
// object is unpickled, and the default values of arguments and fields, which are evaluated when the code is
// compiled. Both can allocate, loop for ever and write files (torch.from_file). The reader never calls the
// first, and this refuses the second before the code is compiled.

#include <torch/csrc/jit/frontend/source_range.h>
#include <memory>

namespace layersim {

// Throws bad_input when anything in the source outside the bodies of functions is more than a literal, or
// when a class has a __setstate__ of its own. Throws c10::Error for what is no TorchScript.
void check_code(const std::shared_ptr<torch::jit::Source>& source);

}  // namespace layersim
