// What the program calls. An exception of libtorch carries a trace of its own calls: the first line tells the
// user what is wrong.

#include <exception>
#include <string>

#include "sim/core/error.h"
#include "sim/import/torchscript/reader/flatten.h"
#include "sim/import/torchscript/reader_module.h"

void layersim_read_torchscript(const std::string& file, layersim::TorchProgram& program) {
  try {
    layersim::TorchArchive archive(file);
    program = layersim::flatten(archive.module(), archive);
  } catch (const layersim::Error&) {
    throw;
  } catch (const c10::Error& error) {
    std::string text = error.what_without_backtrace();
    while (!text.empty() && text.front() == '\n') text.erase(0, 1);
    throw layersim::bad_input("not a readable TorchScript archive: " + text.substr(0, text.find('\n')));
  } catch (const std::exception& error) {
    throw layersim::bad_input("not a readable TorchScript archive: " + std::string(error.what()));
  }
}
