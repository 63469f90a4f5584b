#pragma once
// What the module that reads TorchScript exports; loaded by name (dlopen) only when such a file is given,
// since libtorch brings some 280 shared libraries.

#include <string>

#include "sim/import/torchscript/program.h"

// Throws bad_input with one line when the file is no TorchScript archive, is damaged, or would run code of
// its own while it is loaded.
extern "C" __attribute__((visibility("default"))) void layersim_read_torchscript(
    const std::string& file, layersim::TorchProgram& program);
