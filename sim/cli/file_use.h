#pragma once
// Which files a command line names, and that none of them would be written over another: an output over an
// input or over another output, by whatever name (./x, links).

#include <boost/program_options.hpp>
#include <span>
#include <string>
#include <vector>

namespace layersim {

namespace options = boost::program_options;

enum class FileUse {
  read,
  written,
};

struct NamedFile {
  std::string option;  // "--json"; empty: an argument without an option
  std::string file;
  FileUse use;
  bool is_binary = false;  // an output that only a regular file can take
};

// An option that names a file. text_value's kind, so Arguments::text gives it.
[[nodiscard]] options::typed_value<std::string>* input_file(const char* value_name = "FILE");
[[nodiscard]] options::typed_value<std::string>* output_file(const char* value_name = "FILE");
[[nodiscard]] options::typed_value<std::string>* binary_output_file(const char* value_name = "FILE");

// Of the options above that are given.
[[nodiscard]] std::vector<NamedFile> named_files(const options::options_description& all,
                                                 const options::variables_map& values);

// Throws bad_use, naming option and file, where a binary output cannot be made: a device, a pipe, a folder,
// or in a folder that cannot be written. Before long work whose result goes there.
void check_binary_outputs(std::span<const NamedFile> files);

// Throws bad_use, naming both options, or where an output would replace a file of config_dir(). "-" is
// standard output, which takes one text; devices and pipes are left alone, and so are inputs that are no file
// (a name of the zoo).
void check_no_overwriting(std::span<const NamedFile> files);

}  // namespace layersim
