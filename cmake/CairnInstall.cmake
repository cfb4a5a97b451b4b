# Installation: libraries, public headers, the program, the licence, a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Cairn")

install(TARGETS cairn_shared cairn_static EXPORT CairnTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET cairn_cli)
    install(TARGETS cairn_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY include/cairn DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(DIRECTORY scenes DESTINATION "${CMAKE_INSTALL_DATADIR}/cairn" FILES_MATCHING PATTERN "*.json")
install(FILES tools/completion.bash DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME cairn)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT CairnTargets NAMESPACE Cairn:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/CairnConfig.cmake.in "${PROJECT_BINARY_DIR}/CairnConfig.cmake"
    INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/CairnConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/CairnConfig.cmake" "${PROJECT_BINARY_DIR}/CairnConfigVersion.cmake"
    cmake/CairnDependencies.cmake DESTINATION "${package_dir}")

# pkg-config: HDF5 by its own module where it has one, else by name. AMD has none, zlib is linked by name.
find_package(PkgConfig QUIET)
set(pc_requires "")
set(pc_libs "-lamd")
if(CAIRN_SUITESPARSECONFIG_LIBRARY)
    string(APPEND pc_libs " -lsuitesparseconfig")
endif()
get_filename_component(hdf5_name "${CAIRN_HDF5_LIBRARY}" NAME_WE)
string(REGEX REPLACE "^lib" "" hdf5_name "${hdf5_name}")
string(REPLACE "_" "-" hdf5_module "${hdf5_name}")
if(PkgConfig_FOUND)
    pkg_check_modules(CAIRN_PC_HDF5 QUIET ${hdf5_module})
endif()
if(CAIRN_PC_HDF5_FOUND)
    set(pc_requires "${hdf5_module}")
else()
    string(APPEND pc_libs " -l${hdf5_name}")
endif()
string(APPEND pc_libs " -lz -lpthread -lm")
file(RELATIVE_PATH pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/cairn.pc.in "${PROJECT_BINARY_DIR}/cairn.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cairn.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
