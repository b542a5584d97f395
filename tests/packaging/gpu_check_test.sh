#!/usr/bin/env bash
# usage: gpu_check_test.sh PACKAGING_FOLDER
# Bundles whose programs are short scripts, run by the real gpu-check: the report must tell what they did.
set -euo pipefail
packaging=$1
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
failures=0

expect() { # expect WORD... in the report of the last run
  local word
  for word in "$@"; do
    grep -qF -- "$word" "$report" && continue
    printf 'not in the report of "%s": %s\n' "$case" "$word"
    failures=$((failures + 1))
  done
}
expect_status() {
  [ "$status" -eq "$1" ] && return
  printf '"%s" ended with %s instead of %s:\n' "$case" "$status" "$1"
  sed 's/^/  /' "$scratch/messages"
  failures=$((failures + 1))
}

# A bundle of the emulated backend; its programs do what $scratch/do-PROGRAM says, by default what good ones do.
make_bundle() {
  case=$1
  stage="$scratch/isolume-gpu-check"
  rm -rf -- "$stage"
  mkdir -p -- "$stage"/{bin,lib,cache,share/isolume/samples}
  cp -- "$packaging/gpu-check-run" "$stage/run"
  printf '%s\n' backend=emulated 'commit=1.2.3, abc' architectures=90 nvcc=13.0 compiler=g++ built=today glibc=2.36 \
    'tests=gpu_runtime_emulated gpu_orbitals_emulated' >"$stage/manifest"
  cat >"$stage/bin/isolume-batch" <<'B'
#!/usr/bin/env bash
case "$*" in
  --version) echo isolume-batch ;;
  devices) echo "GPU 1 is usable" ;;
  *c60*) echo "table of C60" ;;
  *) echo "figures of $*" ;;
esac
B
  cat >"$stage/bin/test_gpu_runtime_emulated" <<'T'
#!/usr/bin/env bash
printf '[ RUN      ] Memory.IsThere\n[       OK ] Memory.IsThere (1 ms)\n'
printf '[ RUN      ] Memory.IsLarge\nmemory_test.cpp:7: Skipped\nThere is none.\n\n[  SKIPPED ] Memory.IsLarge (0 ms)\n'
T
  cp -- "$stage/bin/test_gpu_runtime_emulated" "$stage/bin/test_gpu_orbitals_emulated"
  chmod +x "$stage"/bin/* "$stage/run"
}
run_bundle() {
  report="$scratch/report $1.md"
  tar -C "$scratch" -czf "$scratch/bundle.tar.gz" isolume-gpu-check
  status=0
  bash "$packaging/gpu-check" --from-bundle "$scratch/bundle.tar.gz" --output "$report" "${@:2}" 2>"$scratch/messages" || status=$?
}

make_bundle 'all is well'
run_bundle well
expect_status 0
expect '**all is well' 'GPU 1 is usable' 'table of C60' '| gpu_runtime_emulated | 1 | 0 | 1 |' \
  'There is none: Memory.IsLarge, Memory.IsLarge' '1.2.3, abc' 'left out: compute-sanitizer: there is no GPU'

make_bundle 'a test fails'
cat >"$stage/bin/test_gpu_orbitals_emulated" <<'T'
#!/usr/bin/env bash
printf '[ RUN      ] Kernel.IsRight\nline 1 of a long case\n'
seq 100
printf 'kernel_test.cpp:3: Failure: 2 is not 1\n[  FAILED  ] Kernel.IsRight (1 ms)\n'
printf '[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Kernel.IsRight\n'
exit 1
T
run_bundle fails
expect_status 1
expect '**tests failed**' '| gpu_orbitals_emulated | 0 | 1 | 0 |' '2 is not 1' 'table of C60' 'line 1 of a long case'
tar -tzf "${report%.md}.logs.tar.gz" | grep gpu_orbitals_emulated.log >/dev/null || { echo 'no archive of logs lies next to the report'; failures=$((failures + 1)); }

make_bundle 'some parts alone'
run_bundle parts --parts tests,processor
expect_status 0
expect '| gpu_runtime_emulated | 1 | 0 | 1 |' '## The processor beside it'
if grep -q 'orbitals C60' "$report"; then echo 'a part that was not wanted was run'; failures=$((failures + 1)); fi
run_bundle no-such-part --parts teests
expect_status 2

make_bundle 'a program hangs and there is little time'
printf '#!/bin/sh\nsleep 60\n' >"$stage/bin/test_gpu_runtime_emulated"
run_bundle hangs --seconds 8
expect_status 1
expect 'gpu_runtime_emulated: **not finished in' 'no time was left' 'GPU 1 is usable'

make_bundle 'the run is ended from outside'
printf '#!/bin/sh\nsleep 20\n' >"$stage/bin/test_gpu_orbitals_emulated"
report="$scratch/report killed.md"
ISOLUME_EMULATED_DEVICES='' "$stage/run" --output "$report" --seconds 60 >"$scratch/messages" 2>&1 &
runner=$!
for _ in $(seq 100); do
  grep -q '| gpu_runtime_emulated | 1' "$report" 2>/dev/null && break
  sleep 0.1
done
kill -KILL "$runner"
wait "$runner" 2>/dev/null || true
expect '**cut short' '| gpu_runtime_emulated | 1 | 0 | 1 |'

make_bundle 'the programs do not start'
printf '#!/bin/sh\necho "version GLIBC_2.99 not found" >&2\nexit 1\n' >"$stage/bin/isolume-batch"
run_bundle old
expect_status 2
grep -q 'GLIBC_2.99 not found' "$scratch/messages" || { echo 'the reason is not told'; failures=$((failures + 1)); }

case='no bundle'
printf 'nothing' >"$scratch/bundle.tar.gz"
status=0
bash "$packaging/gpu-check" --from-bundle "$scratch/bundle.tar.gz" --output "$scratch/none.md" 2>"$scratch/messages" || status=$?
expect_status 1
grep -q 'is no bundle' "$scratch/messages" || { echo 'a file that is no bundle is not refused by that name'; failures=$((failures + 1)); }
[ ! -e "$scratch/none.md" ] || { echo 'a report without a run'; failures=$((failures + 1)); }

[ "$failures" -eq 0 ] && echo 'all as expected'
exit "$((failures > 0))"
