#include "sim/cli/file_use.h"

#include <filesystem>

#include "sim/core/error.h"

namespace layersim {
namespace {

namespace fs = std::filesystem;

class FileValue final : public options::typed_value<std::string> {
 public:
  explicit FileValue(FileUse use) : options::typed_value<std::string>(nullptr), use_(use) {}
  [[nodiscard]] FileUse use() const { return use_; }

 private:
  FileUse use_;
};

options::typed_value<std::string>* file_value(FileUse use, const char* value_name) {
  return (new FileValue(use))->value_name(value_name);  // NOLINT(cppcoreguidelines-owning-memory): Boost's
}

bool is_special(const fs::path& file) {
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
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
  if (is_special(a)) return false;
  std::error_code ignored;
  return resolved(a) == resolved(b) || fs::equivalent(a, b, ignored);
}

bool may_take_place(const NamedFile& a, const NamedFile& b) {
  return (a.use == FileUse::replaceable && b.option == "-o") ||
         (b.use == FileUse::replaceable && a.option == "-o");
}

std::string described(const NamedFile& file) {
  return (file.option.empty() ? "the argument" : file.option) + " '" + file.file + "'";
}

void check_pair(const NamedFile& a, const NamedFile& b) {
  const bool both_written = a.use == FileUse::written && b.use == FileUse::written;
  if (both_written && a.file == "-" && b.file == "-") {
    throw bad_use(a.option + " - and " + b.option + " - exclude each other: there is one standard output");
  }
  if (a.file == "-" || b.file == "-" || may_take_place(a, b) || !same_file(a.file, b.file)) return;
  if (both_written) throw bad_use(described(a) + " and " + described(b) + " are the same file");
  const bool writes_a = a.use == FileUse::written;
  throw bad_use(described(writes_a ? a : b) + " would be written over " + described(writes_a ? b : a) +
                ", which is read: it is the same file");
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

options::typed_value<std::string>* replaceable_file(const char* value_name) {
  return file_value(FileUse::replaceable, value_name);
}

std::vector<NamedFile> named_files(const options::options_description& all,
                                   const options::variables_map& values) {
  std::vector<NamedFile> files;
  for (const auto& option : all.options()) {
    const auto* value = dynamic_cast<const FileValue*>(option->semantic().get());
    const std::string& name = option->long_name();
    if (value == nullptr || values.count(name) == 0) continue;
    files.push_back({name == "output" ? "-o" : "--" + name, values[name].as<std::string>(), value->use()});
  }
  return files;
}

void check_no_overwriting(std::span<const NamedFile> files) {
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
