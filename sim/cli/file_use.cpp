#include "sim/cli/file_use.h"

#include <filesystem>

#include "sim/cli/output.h"
#include "sim/core/config_dir.h"
#include "sim/core/error.h"
#include "sim/core/regular_file.h"

namespace layersim {
namespace {

namespace fs = std::filesystem;

class FileValue final : public options::typed_value<std::string> {
 public:
  FileValue(FileUse use, bool is_binary)
      : options::typed_value<std::string>(nullptr), use_(use), is_binary_(is_binary) {}
  [[nodiscard]] FileUse use() const { return use_; }
  [[nodiscard]] bool is_binary() const { return is_binary_; }

 private:
  FileUse use_;
  bool is_binary_;
};

options::typed_value<std::string>* file_value(FileUse use, const char* value_name, bool is_binary = false) {
  auto* value = new FileValue(use, is_binary);  // NOLINT(cppcoreguidelines-owning-memory): Boost's
  return value->value_name(value_name);
}

// Where writing to the name ends, also of a link to what does not exist yet.
fs::path resolved(const std::string& file) {
  constexpr int kMostLinks = 40;  // as the kernel follows
  std::error_code error;
  fs::path path = fs::absolute(file, error);
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i)
    path = path.parent_path() / fs::read_symlink(path, error);
  fs::path real = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : real;
}

bool same_file(const std::string& a, const std::string& b) {
  if (is_device_or_pipe(a)) return false;
  std::error_code ignored;
  return resolved(a) == resolved(b) || fs::equivalent(a, b, ignored);
}

std::string described(const NamedFile& file) {
  return (file.option.empty() ? "the argument" : file.option) + " '" + file.file + "'";
}

void check_pair(const NamedFile& a, const NamedFile& b) {
  const bool both_written = a.use == FileUse::written && b.use == FileUse::written;
  if (both_written && a.file == "-" && b.file == "-") {
    throw bad_use(a.option + " - and " + b.option + " - exclude each other: there is one standard output");
  }
  if (a.file == "-" || b.file == "-" || !same_file(a.file, b.file)) return;
  if (both_written) throw bad_use(described(a) + " and " + described(b) + " are the same file");
  const bool writes_a = a.use == FileUse::written;
  throw bad_use(described(writes_a ? a : b) + " would be written over " + described(writes_a ? b : a) +
                ", which is read: it is the same file");
}

// Throws bad_use where a file that came along would be replaced.
void check_not_shipped(const NamedFile& file) {
  if (file.use != FileUse::written || file.file == "-" || is_device_or_pipe(file.file)) return;
  const fs::path target = resolved(file.file);
  std::error_code ignored;
  if (!fs::exists(target, ignored)) return;
  const fs::path shipped = fs::weakly_canonical(config_dir());
  const fs::path within = target.lexically_relative(shipped);
  if (within.empty() || *within.begin() == "..") return;
  throw bad_use(described(file) + " would be written over a file that comes along with layersim");
}

// A name that is no file is one of the zoo, of a sweep or of nothing.
bool can_clash(const NamedFile& file) {
  std::error_code ignored;
  return !file.file.empty() && (file.use == FileUse::written || fs::exists(file.file, ignored));
}

}  // namespace

options::typed_value<std::string>* input_file(const char* value_name) {
  return file_value(FileUse::read, value_name);
}

options::typed_value<std::string>* output_file(const char* value_name) {
  return file_value(FileUse::written, value_name);
}

options::typed_value<std::string>* binary_output_file(const char* value_name) {
  return file_value(FileUse::written, value_name, true);
}

std::vector<NamedFile> named_files(const options::options_description& all,
                                   const options::variables_map& values) {
  std::vector<NamedFile> files;
  for (const auto& option : all.options()) {
    const auto* value = dynamic_cast<const FileValue*>(option->semantic().get());
    const std::string& name = option->long_name();
    if (value == nullptr || values.count(name) == 0) continue;
    files.push_back({name == "output" ? "-o" : "--" + name, values[name].as<std::string>(), value->use(),
                     value->is_binary()});
  }
  return files;
}

void check_binary_outputs(std::span<const NamedFile> files) {
  for (const NamedFile& file : files) {
    if (!file.is_binary) continue;
    try {
      check_replaceable(file.file);
    } catch (const Error& error) {
      throw bad_use(file.option + ' ' + error.what());
    }
    check_folder_of(file.file);
  }
}

void check_no_overwriting(std::span<const NamedFile> files) {
  for (const NamedFile& file : files) check_not_shipped(file);
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t k = i + 1; k < files.size(); ++k) {
      const NamedFile& a = files[i];
      const NamedFile& b = files[k];
      const bool writes = a.use == FileUse::written || b.use == FileUse::written;
      if (writes && can_clash(a) && can_clash(b)) check_pair(a, b);
    }
  }
}

}  // namespace layersim
