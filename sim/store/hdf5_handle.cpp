#include "sim/store/hdf5_handle.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim/store/file_descriptor.h"

namespace layersim::hdf5 {

namespace {

Handle file_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make an access list");
  // A store is locked by store_lock.h and never changed in place; locks of HDF5 fail on many network file
  // systems.
  check(H5Pset_file_locking(access.get(), false, true), "switch its file locks off");
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "set its file version");
  return access;
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

Handle text_type(std::size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a text type");
  check(H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1)), "set the size of a text");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "set the character set of a text");
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "set the padding of a text");
  return type;
}

void write_scalar(hid_t object, const char* name, hid_t type, const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "make a data space");
  const Handle attribute(H5Acreate2(object, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "make an attribute");
  check(H5Awrite(attribute.get(), type, value), "write an attribute");
}

Handle open_attribute(hid_t object, const char* name) {
  const hid_t id = H5Aopen(object, name, H5P_DEFAULT);
  if (id < 0) throw bad_input(std::string("has no attribute '") + name + "' where a store has one");
  return {id, H5Aclose, "open an attribute"};
}

}  // namespace

void start() {
  static const bool kStarted = [] {
    H5dont_atexit();
    check(H5open(), "start");
    check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), "be silenced");
    return true;
  }();
  static_cast<void>(kStarted);
}

Error failure(const char* what) {
  // HDF5 tells no reason, but leaves errno as the refused write set it.
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) {
    return bad_use("cannot be written: " + system_message());
  }
  return bad_input(std::string("HDF5 cannot ") + what);
}

Handle open_file(const std::string& path) {
  start();
  const Handle access = file_access();
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, "open the file"};
}

Handle create_file(const std::string& path, std::size_t user_block) {
  start();
  const Handle access = file_access();
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "make a creation list");
  check(H5Pset_userblock(creation.get(), user_block), "set a user block");
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose, "create the file"};
}

bool has_link(hid_t parent, const std::string& name) {
  return check(H5Lexists(parent, name.c_str(), H5P_DEFAULT), "look a name up") > 0;
}

Handle open_group(hid_t parent, const std::string& name) {
  return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose, "open a group"};
}

Handle create_group(hid_t parent, const std::string& name) {
  if (has_link(parent, name)) return open_group(parent, name);
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "make a group"};
}

std::vector<std::string> member_names(hid_t group) {
  std::vector<std::string> names;
  check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names), "list a group");
  return names;
}

Handle open_dataset(hid_t group, const std::string& name) {
  return {H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose, "open a dataset"};
}

hsize_t dataset_size(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "read the size of a dataset");
  if (H5Sget_simple_extent_ndims(space.get()) != 1) throw bad_input("a column is not one-dimensional");
  hsize_t size = 0;
  check(H5Sget_simple_extent_dims(space.get(), &size, nullptr), "read the size of a dataset");
  return size;
}

void write_attribute(hid_t object, const char* name, const std::string& value) {
  const Handle type = text_type(value.size());
  write_scalar(object, name, type.get(), value.c_str());
}

void write_attribute(hid_t object, const char* name, std::int64_t value) {
  write_scalar(object, name, H5T_STD_I64LE, &value);
}

std::string read_text_attribute(hid_t object, const char* name) {
  const Handle attribute = open_attribute(object, name);
  const Handle type(H5Aget_type(attribute.get()), H5Tclose, "read the type of an attribute");
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0) {
    throw bad_input(std::string("attribute '") + name + "' is not a text of fixed length");
  }
  std::string value(H5Tget_size(type.get()), '\0');
  check(H5Aread(attribute.get(), type.get(), value.data()), "read an attribute");
  value.resize(std::min(value.find('\0'), value.size()));
  return value;
}

std::int64_t read_integer_attribute(hid_t object, const char* name) {
  const Handle attribute = open_attribute(object, name);
  std::int64_t value = 0;
  check(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), "read an attribute");
  return value;
}

void write_texts(hid_t group, const std::string& name, const std::vector<std::string>& texts) {
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  const Handle type = text_type(width);
  const hsize_t count = texts.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a data space");
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a creation list");
  // About a megabyte a chunk, and written chunk by chunk: one long text among many must not cost width x
  // count bytes.
  const hsize_t chunk = std::clamp<hsize_t>((std::size_t{1} << 20) / width, 1, std::max<hsize_t>(count, 1));
  if (count > 0) {
    check(H5Pset_chunk(creation.get(), 1, &chunk), "set a chunk size");
    check(H5Pset_deflate(creation.get(), 1), "set the compression");
  }
  const Handle dataset(
      H5Dcreate2(group, name.c_str(), type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
      H5Dclose, "make a dataset");
  for (hsize_t first = 0; first < count; first += chunk) {
    const hsize_t rows = std::min(chunk, count - first);
    std::string padded(rows * width, '\0');
    for (hsize_t i = 0; i < rows; ++i) texts[first + i].copy(padded.data() + i * width, width);
    const Handle memory(H5Screate_simple(1, &rows, nullptr), H5Sclose, "make a data space");
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &first, nullptr, &rows, nullptr), "select rows");
    check(H5Dwrite(dataset.get(), type.get(), memory.get(), space.get(), H5P_DEFAULT, padded.data()),
          "write a dataset");
  }
}

std::vector<std::string> read_texts(hid_t group, const std::string& name) {
  const Handle dataset = open_dataset(group, name);
  const Handle type(H5Dget_type(dataset.get()), H5Tclose, "read the type of a dataset");
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0) {
    throw bad_input("dictionary '" + name + "' does not hold texts of fixed length");
  }
  const std::size_t width = H5Tget_size(type.get());
  const Handle space(H5Dget_space(dataset.get()), H5Sclose, "read the size of a dataset");
  const hsize_t count = dataset_size(dataset.get());
  const hsize_t chunk = std::max<hsize_t>((std::size_t{1} << 20) / width, 1);
  std::vector<std::string> texts;
  for (hsize_t first = 0; first < count; first += chunk) {
    const hsize_t rows = std::min(chunk, count - first);
    std::string padded(rows * width, '\0');
    const Handle memory(H5Screate_simple(1, &rows, nullptr), H5Sclose, "make a data space");
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &first, nullptr, &rows, nullptr), "select rows");
    check(H5Dread(dataset.get(), type.get(), memory.get(), space.get(), H5P_DEFAULT, padded.data()),
          "read a dataset");
    for (hsize_t i = 0; i < rows; ++i) {
      const char* text = padded.data() + i * width;
      texts.emplace_back(text, strnlen(text, width));
    }
  }
  return texts;
}

}  // namespace layersim::hdf5
