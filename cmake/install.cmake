# The shared library, and what `make install` puts where: libraries, headers for host programs and for component writers, pkg-config
# files, CMake package, the command, example scenes.
include(CMakePackageConfigHelpers)

file(STRINGS include/divan/divan.h abi REGEX "#define DIVAN_ABI ")
string(REGEX MATCH "[0-9]+" DIVAN_ABI "${abi}")

set(DIVAN_SDK_HEADERS base/base.h base/address_map.h base/arena.h base/array.h base/file.h base/log.h base/pool.h base/simd.h base/sort.h base/text.h math/block_matrix.h math/decompose.h
  math/pattern.h math/sparse_rows.h math/vec.h object/compat.h object/context.h object/vectors.h object/dof.h object/field.h object/memory.h object/object.h object/roles.h object/values.h scene/live.h scene/node.h scene/plan.h
  topology/topology.h topology/change/change.h topology/change/element_data.h topology/change/follow.h topology/change/trace.h topology/change/modify.h topology/change/incise.h topology/change/cut.h state/state.h mechanics/mechanics.h mechanics/component.h mechanics/pairs.h mechanics/rows.h mechanics/touched.h engine/engine.h
  force/mesh.h linear/inverse.h linear/solver.h linear/system/assembly.h linear/system/live.h linear/system/system.h ode/integrator.h collision/collision.h collision/cube_tree.h collision/model.h constraint/lagrangian/problem.h constraint/lagrangian/residual.h constraint/lagrangian/unbuilt.h topology/search/box_tree.h)

add_library(divan_shared SHARED ${DIVAN_KERNEL_OBJECTS})
set_target_properties(divan_shared PROPERTIES OUTPUT_NAME divan VERSION ${DIVAN_ABI}.${PROJECT_VERSION} SOVERSION ${DIVAN_ABI}
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/symbols.map)
target_link_libraries(divan_shared PRIVATE divan_flags PkgConfig::XML2 PkgConfig::ZLIB Threads::Threads m ${CMAKE_DL_LIBS})
target_link_options(divan_shared PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/symbols.map -Wl,-Bsymbolic-functions)

install(TARGETS divan RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS divan_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS divan_lib ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(module divan_petsc divan_siconos)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/divan)
  endif()
endforeach()
install(FILES include/divan/divan.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/divan)
install(FILES include/divan/sdk/plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/divan/sdk)
foreach(header ${DIVAN_SDK_HEADERS})
  get_filename_component(room ${header} DIRECTORY)
  install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/divan/sdk/${room})
endforeach()
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# the example scenes, and the list of `divan bench` that names some of them; the command finds them from its own place
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/divan)
install(FILES bench/scenes.tsv bench/bar.scn bench/direct.scn bench/springs.scn DESTINATION ${CMAKE_INSTALL_DATADIR}/divan/bench)

# found relative to themselves, so that an installation can be moved
file(RELATIVE_PATH DIVAN_PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" DIVAN_PC_UP "${DIVAN_PC_UP}")
foreach(name divan divan-sdk)
  configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/generated/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/generated/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
set(DIVAN_PLUGIN_DIR ${CMAKE_INSTALL_LIBDIR}/divan/plugins)
configure_package_config_file(cmake/divanConfig.cmake.in ${CMAKE_BINARY_DIR}/generated/divanConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/divan PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR DIVAN_PLUGIN_DIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/divanConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/divanConfig.cmake ${CMAKE_BINARY_DIR}/generated/divanConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/divan)
