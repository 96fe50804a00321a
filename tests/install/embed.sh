#!/bin/sh
# Builds examples/embed.c against an installation in a temporary prefix: with pkg-config (shared and static), with find_package, and a
# plugin with find_package. embed.sh SOURCE BUILD
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/here
cmake --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
mv "$prefix" "$work/moved"   # an installation can be moved
prefix=$work/moved
lib=$(dirname "$(find "$prefix" -name libdivan.a)")   # lib, lib64 or lib/x86_64-linux-gnu
export PKG_CONFIG_PATH="$lib/pkgconfig" CFLAGS="-std=c17 -Wall -Wextra -Werror"
expect='after 2.00 s the free end is at'

echo "-- pkg-config, shared"
cc $CFLAGS "$source/examples/embed.c" $(pkg-config --cflags --libs divan) -o "$work/shared"
LD_LIBRARY_PATH=$lib "$work/shared" | tee "$work/shared.txt" | grep "$expect"

echo "-- pkg-config, shared, with the path in the program (README)"
cc $CFLAGS "$source/examples/embed.c" $(pkg-config --cflags --libs divan) -Wl,-rpath,$(pkg-config --variable=libdir divan) -o "$work/rpath"
"$work/rpath" | cmp - "$work/shared.txt"

echo "-- pkg-config, static"
mkdir "$work/only" && cp "$lib/libdivan.a" "$work/only"   # the first directory decides
cc $CFLAGS "$source/examples/embed.c" $(pkg-config --cflags divan) -L"$work/only" $(pkg-config --static --libs divan) -o "$work/static"
"$work/static" | cmp - "$work/shared.txt"

echo "-- find_package"
mkdir "$work/host"
cp "$source/examples/embed.c" "$work/host"
cat >"$work/host/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(host C)
find_package(divan 0.1 REQUIRED)
add_executable(shared embed.c)
target_link_libraries(shared divan::divan)
add_executable(static embed.c)
target_link_libraries(static divan::static)
END
cmake -S "$work/host" -B "$work/host/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/host/build" >/dev/null
"$work/host/build/shared" | cmp - "$work/shared.txt"
"$work/host/build/static" | cmp - "$work/shared.txt"

echo "-- a plugin with find_package and with the flags of the installed command"
cp -r "$source/plugins/example" "$work/plugin"
cmake -S "$work/plugin" -B "$work/plugin/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/plugin/build" >/dev/null
cmake --install "$work/plugin/build" >/dev/null
test -e "$lib/divan/plugins/libExample.so"
"$prefix/bin/divan" run "$work/plugin/example.scn" -n 10 --plugin-path "$lib/divan/plugins" | grep "10 steps"
(cd "$work" && "$prefix/bin/divan" new-plugin Weather) >/dev/null
make -C "$work/Weather" DIVAN="$prefix/bin/divan" | grep -q "$prefix/include/divan/sdk"
test "$(pkg-config --variable=plugindir divan-sdk | xargs realpath)" = "$(realpath "$lib/divan/plugins")"

echo "-- the installed command finds its list of benchmarks and example scenes"
(cd "$work" && "$prefix/bin/divan" bench --filter liver --repeats 1 --threads 1) | grep "^liver .*[0-9]"
"$prefix/bin/divan" run "$prefix/share/divan/scenes/liver.scn" -n 5 | grep "5 steps"

echo "-- a host program with the shared library loads a plugin"
cat >"$work/load.c" <<'END'
#include <divan/divan.h>
#include <stdio.h>
int main(int count, char **arguments)
{
  dvContext *divan = divan_create(1);
  divan_add_plugin_path(divan, arguments[2]);
  dvScene *scene = count > 2 ? divan_load(divan, arguments[1]) : 0;
  int status = scene ? divan_init(scene) : 4;
  for (int i = 0; i < 5 && !status; i++) status = divan_step(scene, 0);
  size_t n = 0;
  const double *v = scene ? divan_read(scene, "/leaves/dofs", "velocity", &n) : 0;
  if (v) printf("velocity %.6f\n", v[0]);
  divan_close(&scene);
  divan_destroy(&divan);
  return status;
}
END
cc $CFLAGS "$work/load.c" $(pkg-config --cflags --libs divan) -o "$work/load"
LD_LIBRARY_PATH=$lib "$work/load" "$work/plugin/example.scn" "$lib/divan/plugins" | grep "velocity 0.432948"

echo "-- a plugin with a solver, an integrator, a constraint, a collision model and a component that follows changes"
cp -r "$source/tests/install/plugin" "$work/trial"
cmake -S "$work/trial" -B "$work/trial/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/trial/build"
cc $CFLAGS "$work/trial/host.c" $(pkg-config --cflags --libs divan) -lm -o "$work/trial/host"
LD_LIBRARY_PATH=$lib "$work/trial/host" "$work/trial/build"
