# What the library links against: HDF5 (serial, C), AMD of SuiteSparse, zlib, threads. Gives the targets Cairn::hdf5,
# Cairn::amd and Cairn::zlib. Used by this build and by the installed package (CairnConfig.cmake), so that both look the same way.
find_package(Threads REQUIRED)

find_path(CAIRN_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(CAIRN_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
find_path(CAIRN_AMD_INCLUDE_DIR amd.h PATH_SUFFIXES suitesparse)
find_library(CAIRN_AMD_LIBRARY NAMES amd)
find_library(CAIRN_SUITESPARSECONFIG_LIBRARY NAMES suitesparseconfig)
find_path(CAIRN_ZLIB_INCLUDE_DIR zlib.h)
find_library(CAIRN_ZLIB_LIBRARY NAMES z)
mark_as_advanced(CAIRN_ZLIB_INCLUDE_DIR CAIRN_ZLIB_LIBRARY CAIRN_HDF5_INCLUDE_DIR CAIRN_HDF5_LIBRARY CAIRN_AMD_INCLUDE_DIR CAIRN_AMD_LIBRARY
    CAIRN_SUITESPARSECONFIG_LIBRARY)

if(NOT CAIRN_HDF5_INCLUDE_DIR OR NOT CAIRN_HDF5_LIBRARY)
    message(FATAL_ERROR "HDF5 was not found. Debian, Ubuntu: libhdf5-dev. Elsewhere set CMAKE_PREFIX_PATH.")
endif()
if(NOT CAIRN_AMD_INCLUDE_DIR OR NOT CAIRN_AMD_LIBRARY)
    message(FATAL_ERROR "AMD was not found. Debian, Ubuntu: libsuitesparse-dev. Elsewhere set CMAKE_PREFIX_PATH.")
endif()

if(NOT CAIRN_ZLIB_INCLUDE_DIR OR NOT CAIRN_ZLIB_LIBRARY)
    message(FATAL_ERROR "zlib was not found. Debian, Ubuntu: zlib1g-dev. Elsewhere set CMAKE_PREFIX_PATH.")
endif()

if(NOT TARGET Cairn::zlib)
    add_library(Cairn::zlib UNKNOWN IMPORTED)
    set_target_properties(Cairn::zlib PROPERTIES IMPORTED_LOCATION "${CAIRN_ZLIB_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${CAIRN_ZLIB_INCLUDE_DIR}")
endif()
if(NOT TARGET Cairn::hdf5)
    add_library(Cairn::hdf5 UNKNOWN IMPORTED)
    set_target_properties(Cairn::hdf5 PROPERTIES IMPORTED_LOCATION "${CAIRN_HDF5_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${CAIRN_HDF5_INCLUDE_DIR}")
endif()
if(NOT TARGET Cairn::amd)
    add_library(Cairn::amd UNKNOWN IMPORTED)
    set_target_properties(Cairn::amd PROPERTIES IMPORTED_LOCATION "${CAIRN_AMD_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${CAIRN_AMD_INCLUDE_DIR}")
    if(CAIRN_SUITESPARSECONFIG_LIBRARY)
        set_property(TARGET Cairn::amd PROPERTY INTERFACE_LINK_LIBRARIES "${CAIRN_SUITESPARSECONFIG_LIBRARY}")
    endif()
endif()
