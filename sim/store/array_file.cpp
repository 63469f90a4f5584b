#include "sim/store/array_file.h"

#include <array>
#include <limits>

#include "sim/store/hdf5_handle.h"
#include "sim/store/store_lock.h"

namespace layersim {
namespace {

// No predictor comes near it; a file that claims more is not one of ours.
constexpr hsize_t kMostValues = hsize_t{1} << 26;
constexpr unsigned kCompression = 6;

void write_array(hid_t group, const std::string& name, const StoredArray& array) {
  const std::array<hsize_t, 2> size{array.rows(), array.columns};
  const hdf5::Handle space(H5Screate_simple(2, size.data(), nullptr), H5Sclose, "make a data space");
  const hdf5::Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a creation list");
  if (!array.values.empty()) {
    hdf5::check(H5Pset_chunk(creation.get(), 2, size.data()), "set a chunk size");
    hdf5::check(H5Pset_shuffle(creation.get()), "set the compression");
    hdf5::check(H5Pset_deflate(creation.get(), kCompression), "set the compression");
  }
  const hdf5::Handle dataset(
      H5Dcreate2(group, name.c_str(), H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
      H5Dclose, "make a dataset");
  if (array.values.empty()) return;
  hdf5::check(H5Dwrite(dataset.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()),
              "write a dataset");
}

StoredArray read_array(hid_t group, const std::string& name) {
  const hdf5::Handle dataset = hdf5::open_dataset(group, name);
  const hdf5::Handle space(H5Dget_space(dataset.get()), H5Sclose, "read the size of a dataset");
  std::array<hsize_t, 2> size{};
  if (H5Sget_simple_extent_ndims(space.get()) != 2)
    throw bad_input("array '" + name + "' is not two-dimensional");
  hdf5::check(H5Sget_simple_extent_dims(space.get(), size.data(), nullptr), "read the size of a dataset");
  if (size[1] > 0 && size[0] > kMostValues / size[1]) throw bad_input("array '" + name + "' is too large");
  StoredArray array;
  array.columns = size[1];
  array.values.resize(size[0] * size[1]);
  if (array.values.empty()) return array;
  hdf5::check(H5Dread(dataset.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()),
              "read a dataset");
  return array;
}

herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

std::vector<std::string> attribute_names(hid_t object) {
  std::vector<std::string> names;
  hdf5::check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_attribute, &names),
              "list attributes");
  return names;
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
    const hdf5::Handle handle = hdf5::open_group(file.get(), name);
    ArrayGroup& group = groups[name];
    for (const std::string& text : attribute_names(handle.get())) {
      group.texts[text] = hdf5::read_text_attribute(handle.get(), text.c_str());
    }
    for (const std::string& array : hdf5::member_names(handle.get())) {
      group.arrays[array] = read_array(handle.get(), array);
    }
  }
  return groups;
}

void write_array_file(const std::string& path, FileFormat format, const ArrayGroups& groups) {
  Replacement replacement(resolve_links(path));
  {
    hdf5::Handle file = hdf5::create_file(replacement.path(), kStoreHeaderBytes);
    for (const auto& [name, group] : groups) {
      const hdf5::Handle handle = hdf5::create_group(file.get(), name);
      for (const auto& [text_name, text] : group.texts)
        hdf5::write_attribute(handle.get(), text_name.c_str(), text);
      for (const auto& [array_name, array] : group.arrays) write_array(handle.get(), array_name, array);
    }
    file.close("close the file");
  }
  write_store_header(replacement.path(), format);
  replacement.commit();
}

}  // namespace layersim
