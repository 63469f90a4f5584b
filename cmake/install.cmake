# The program with its data files, and the library as the CMake package layersim (target layersim::layersim).
include(CMakePackageConfigHelpers)

install(TARGETS layersim_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(EXISTS ${PROJECT_SOURCE_DIR}/configs)
  install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/layersim)
endif()

# The page of `layersim serve`, where it was built (`./dev page`).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/page DESTINATION ${CMAKE_INSTALL_DATADIR}/layersim OPTIONAL)

install(TARGETS layersim layersim_onnx_proto layersim_hdf5 EXPORT layersim
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY sim layers hwdb DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/layersim FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/layersim)
install(EXPORT layersim NAMESPACE layersim:: FILE layersim-targets.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/layersim-config-version.cmake COMPATIBILITY SameMinorVersion)
file(WRITE ${PROJECT_BINARY_DIR}/layersim-config.cmake [[
include(CMakeFindDependencyMacro)
foreach(package IN ITEMS Protobuf nlohmann_json ZLIB Threads)
  find_dependency(${package})
endforeach()
find_dependency(Boost COMPONENTS program_options)
include(${CMAKE_CURRENT_LIST_DIR}/layersim-targets.cmake)
]])
install(FILES ${PROJECT_BINARY_DIR}/layersim-config.cmake ${PROJECT_BINARY_DIR}/layersim-config-version.cmake
  DESTINATION ${package_dir})
