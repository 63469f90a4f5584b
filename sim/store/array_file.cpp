#include "sim/store/array_file.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "sim/store/hdf5_handle.h"
#include "sim/store/store_lock.h"

namespace layersim {
namespace {

// No predictor comes near it; a file that claims more is not one of ours.
constexpr hsize_t kMostValues = hsize_t{1} << 26;

// What the numbers of a group's dataset are, and its texts:
//   text NAME BYTES <line feed> the text <line feed>
//   array NAME ROWS COLUMNS <line feed>
// One dataset and one attribute for a group are read several times as fast as one for each text and array.
constexpr const char* kContents = "contents";

std::string describe(const ArrayGroup& group) {
  std::string contents;
  for (const auto& [name, text] : group.texts) {
    contents.append("text ").append(name).append(" ").append(std::to_string(text.size())).append("\n");
    contents.append(text).append("\n");
  }
  for (const auto& [name, array] : group.arrays) {
    contents +=
        "array " + name + ' ' + std::to_string(array.rows()) + ' ' + std::to_string(array.columns) + '\n';
  }
  return contents;
}

// Takes from the front of a description. Throws bad_input when it is not as describe() writes it.
class ContentsReader {
 public:
  explicit ContentsReader(std::string_view rest) : rest_(rest) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  std::string_view word(char end) {
    const std::size_t size = rest_.find(end);
    if (size == std::string_view::npos) fail();
    return take(size);
  }
  std::size_t number(char end) {
    const std::string_view digits = word(end);
    std::size_t value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || stop != digits.data() + digits.size() || value > kMostValues) fail();
    return value;
  }
  std::string_view text(std::size_t size) {
    if (size >= rest_.size() || rest_[size] != '\n') fail();
    return take(size);
  }
  [[noreturn]] static void fail() { throw bad_input("the contents are not described as they should be"); }

 private:
  // And the character after it.
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size + 1);
    return taken;
  }

  std::string_view rest_;
};

void write_group(hid_t file, const std::string& name, const ArrayGroup& group) {
  std::vector<float> values;
  for (const auto& [array_name, array] : group.arrays) {
    values.insert(values.end(), array.values.begin(), array.values.end());
  }
  const hsize_t size = values.size();
  const hdf5::Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, "make a data space");
  // Trained weights do not compress.
  const hdf5::Handle dataset(
      H5Dcreate2(file, name.c_str(), H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, "make a dataset");
  hdf5::write_attribute(dataset.get(), kContents, describe(group));
  if (values.empty()) return;
  hdf5::check(H5Dwrite(dataset.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
              "write a dataset");
}

ArrayGroup read_group(hid_t file, const std::string& name) {
  const hdf5::Handle dataset = hdf5::open_dataset(file, name);
  const hsize_t size = hdf5::dataset_size(dataset.get());
  if (size > kMostValues) throw bad_input("'" + name + "' is too large");
  std::vector<float> values(size);
  if (size > 0) {
    hdf5::check(H5Dread(dataset.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
                "read a dataset");
  }
  const std::string contents = hdf5::read_text_attribute(dataset.get(), kContents);
  ContentsReader reader(contents);
  ArrayGroup group;
  std::size_t next = 0;
  while (!reader.at_end()) {
    const std::string_view kind = reader.word(' ');
    const std::string own_name(reader.word(' '));
    if (kind == "text") {
      group.texts[own_name] = reader.text(reader.number('\n'));
      continue;
    }
    const std::size_t rows = reader.number(' ');
    StoredArray& array = group.arrays[own_name];
    array.columns = reader.number('\n');
    if (kind != "array" || (array.columns > 0 && rows > (values.size() - next) / array.columns))
      reader.fail();
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(next);
    next += rows * array.columns;
    array.values.assign(begin, values.begin() + static_cast<std::ptrdiff_t>(next));
  }
  return group;
}

}  // namespace

const std::string& ArrayGroup::text(const std::string& name) const {
  const auto found = texts.find(name);
  if (found == texts.end()) throw bad_input("has no text '" + name + "'");
  return found->second;
}

const StoredArray& ArrayGroup::array(const std::string& name) const {
  const auto found = arrays.find(name);
  if (found == arrays.end()) throw bad_input("has no array '" + name + "'");
  return found->second;
}

std::vector<std::string> ArrayGroup::lines(const std::string& name) const {
  std::vector<std::string> result;
  const std::string& all = text(name);
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    result.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

void ArrayGroup::set_lines(const std::string& name, const std::vector<std::string>& lines) {
  std::string& all = texts[name];
  for (const std::string& line : lines) all.append(line).append("\n");
}

ArrayGroups read_array_file(const std::string& path, FileFormat format) {
  check_store_header(path, format);
  const hdf5::Handle file = hdf5::open_file(path);
  ArrayGroups groups;
  for (const std::string& name : hdf5::member_names(file.get())) {
    groups[name] = read_group(file.get(), name);
  }
  return groups;
}

void write_array_file(const std::string& path, FileFormat format, const ArrayGroups& groups) {
  Replacement replacement(resolve_links(path));
  {
    // Says so with the system's words: HDF5 would not tell why.
    const FileDescriptor probe(replacement.path(), O_RDWR | O_CREAT | O_TRUNC);
    if (!probe.is_open()) throw bad_use("cannot be written: " + system_message());
  }
  {
    hdf5::Handle file = hdf5::create_file(replacement.path(), kStoreHeaderBytes);
    for (const auto& [name, group] : groups) write_group(file.get(), name, group);
    file.close("close the file");
  }
  write_store_header(replacement.path(), format);
  replacement.commit();
}

}  // namespace layersim
