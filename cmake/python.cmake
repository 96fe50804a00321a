# The Python module: bindings/python to build/python. One extension for every Python from 3.11 on (the stable interface), without
# numpy. It holds the library, the viewer and the command; nothing of it is linked with libpython.
option(DIVAN_PYTHON "the Python module, when Python's headers are there" ON)
set(DIVAN_PYTHON_INSTALL "" CACHE STRING "place of the Python module below the prefix; empty: where the system's Python looks")
if(DIVAN_PYTHON)
  find_program(DIVAN_PYTHON3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(DIVAN_PYTHON3 NAMES python3)
  if(DIVAN_PYTHON3)
    execute_process(COMMAND ${DIVAN_PYTHON3} -c "import sysconfig, sys; print(sysconfig.get_paths()['include'] if sys.version_info >= (3, 11) else '')"
      OUTPUT_VARIABLE DIVAN_PYTHON_HEADERS OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  execute_process(COMMAND ${DIVAN_PYTHON3} -c "import sys; print('%d.%d' % sys.version_info[:2])" OUTPUT_VARIABLE python_version
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT DIVAN_PYTHON_HEADERS OR NOT EXISTS ${DIVAN_PYTHON_HEADERS}/Python.h)
    message(STATUS "the Python module is left out: install python3-dev, 3.11 or later")
    set(DIVAN_PYTHON OFF)
  endif()
endif()
if(DIVAN_PYTHON_INSTALL)
  set(python_place ${DIVAN_PYTHON_INSTALL})
elseif(CMAKE_INSTALL_PREFIX STREQUAL "/usr" OR NOT python_version)
  set(python_place lib/python3/dist-packages)
else()
  set(python_place lib/python${python_version}/dist-packages)
endif()
set_source_files_properties(tools/divan/python.c PROPERTIES COMPILE_DEFINITIONS DIVAN_PYTHON_FROM_PREFIX="${python_place}")
if(NOT DIVAN_PYTHON)
  return()
endif()

set(DIVAN_PYTHON_DIR ${CMAKE_BINARY_DIR}/python)
file(GLOB DIVAN_PYTHON_SOURCES CONFIGURE_DEPENDS bindings/python/src/*.c)
add_library(divan_python MODULE ${DIVAN_PYTHON_SOURCES} $<TARGET_OBJECTS:divan_tool> ${DIVAN_WHOLE})
set_target_properties(divan_python PROPERTIES PREFIX "" OUTPUT_NAME _divan SUFFIX .abi3.so LIBRARY_OUTPUT_DIRECTORY ${DIVAN_PYTHON_DIR}/divan)
target_include_directories(divan_python SYSTEM PRIVATE ${DIVAN_PYTHON_HEADERS})
target_include_directories(divan_python PRIVATE ${CMAKE_SOURCE_DIR}/tools/divan)
target_link_libraries(divan_python PRIVATE divan_view)
target_link_options(divan_python PRIVATE -Wl,-Bsymbolic-functions)

# the packages: what lies in bindings/python beside src
file(GLOB_RECURSE DIVAN_PYTHON_FILES CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/bindings/python bindings/python/*.py bindings/python/*.pyi
  bindings/python/*/py.typed)
list(FILTER DIVAN_PYTHON_FILES EXCLUDE REGEX "^src/|^setup.py$|__pycache__")
set(copies "")
foreach(file ${DIVAN_PYTHON_FILES})
  get_filename_component(directory ${file} DIRECTORY)
  add_custom_command(OUTPUT ${DIVAN_PYTHON_DIR}/${file}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${DIVAN_PYTHON_DIR}/${directory}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/bindings/python/${file} ${DIVAN_PYTHON_DIR}/${file}
    DEPENDS ${CMAKE_SOURCE_DIR}/bindings/python/${file} VERBATIM)
  list(APPEND copies ${DIVAN_PYTHON_DIR}/${file})
endforeach()
# what editors show of each component, from the library itself
if(NOT DIVAN_SANITIZE AND NOT DIVAN_FUZZ)
  add_custom_command(OUTPUT ${DIVAN_PYTHON_DIR}/divan/components.pyi
    COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${DIVAN_PYTHON_DIR} PYTHONDONTWRITEBYTECODE=1 ${DIVAN_PYTHON3} -m divan._stubs ${DIVAN_PYTHON_DIR}/divan/components.pyi
    DEPENDS divan_python ${copies} VERBATIM)
  list(APPEND copies ${DIVAN_PYTHON_DIR}/divan/components.pyi)
  install(FILES ${DIVAN_PYTHON_DIR}/divan/components.pyi DESTINATION ${python_place}/divan)
endif()
add_custom_target(python ALL DEPENDS divan_python ${copies})

install(TARGETS divan_python LIBRARY DESTINATION ${python_place}/divan)
foreach(file ${DIVAN_PYTHON_FILES})
  get_filename_component(directory ${file} DIRECTORY)
  install(FILES bindings/python/${file} DESTINATION ${python_place}/${directory})
endforeach()

if(DIVAN_TESTS)
  enable_testing()
  # every tests/python/**/test_*.py; a sanitized module needs the sanitizer in the interpreter
  set(python_environment DIVAN_PYTHON_PATH=${DIVAN_PYTHON_DIR} DIVAN=${CMAKE_BINARY_DIR}/divan DIVAN_PYTHON=${DIVAN_PYTHON3} PYTHONMALLOC=debug PYTHONDONTWRITEBYTECODE=1)
  if(DIVAN_SANITIZE MATCHES "address")
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libubsan.so OUTPUT_VARIABLE ubsan OUTPUT_STRIP_TRAILING_WHITESPACE)
    # what the interpreter itself leaves at its end is not ours
    list(APPEND python_environment "LD_PRELOAD=${asan} ${ubsan}" ASAN_OPTIONS=detect_leaks=0 DIVAN_SANITIZED=1)
  endif()
  file(GLOB_RECURSE DIVAN_PYTHON_TESTS CONFIGURE_DEPENDS tests/python/test_*.py)
  foreach(source ${DIVAN_PYTHON_TESTS})
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    string(REGEX REPLACE "^test_" "" short ${name})
    if(NOT folder STREQUAL "python")
      set(short ${folder}_${short})
    endif()
    add_test(NAME python.${short} COMMAND ${DIVAN_PYTHON3} ${source})
    set_tests_properties(python.${short} PROPERTIES LABELS python TIMEOUT 600 ENVIRONMENT "${python_environment}")
  endforeach()
endif()
