#!/bin/sh
# An inline function compiled for new CPUs must stay inside its objects: the linker may choose its
# copy for callers on old ones. Arguments: nm, then the objects; a foreign weak symbol fails.
nm=$1
shift
"$nm" -C "$@" >symbols.txt || exit 1
grep -q "gpu::ptx::v3::Instance" symbols.txt || { echo "not the executor's objects"; exit 1; }
grep -E " [WVu] " symbols.txt | grep -vE " [WVu] ([a-z ]*for )?(void |bool )?gpu::ptx::v3::" && exit 1
rm symbols.txt
