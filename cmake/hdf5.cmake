# layersim_hdf5: the C library of HDF5 and zlib. The static archive is preferred: as a shared library Debian's build pulls
# in curl, OpenSSL, Kerberos and LDAP (for its cloud drivers), about 5 ms of start-up for every command.
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_path(LAYERSIM_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
find_library(LAYERSIM_HDF5_LIBRARY NAMES libhdf5_serial.a libhdf5.a hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial REQUIRED)
add_library(layersim_hdf5 INTERFACE)
target_include_directories(layersim_hdf5 SYSTEM INTERFACE ${LAYERSIM_HDF5_INCLUDE_DIR})
target_link_libraries(layersim_hdf5 INTERFACE ${LAYERSIM_HDF5_LIBRARY})
if(LAYERSIM_HDF5_LIBRARY MATCHES "\\.a$")
  # The szip filter of the archive; absent where HDF5 was built without it.
  foreach(archive sz aec)
    find_library(LAYERSIM_${archive}_LIBRARY NAMES lib${archive}.a ${archive})
    if(LAYERSIM_${archive}_LIBRARY)
      target_link_libraries(layersim_hdf5 INTERFACE ${LAYERSIM_${archive}_LIBRARY})
    endif()
  endforeach()
endif()
target_link_libraries(layersim_hdf5 INTERFACE ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS} m)
