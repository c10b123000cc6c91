cp -r "$(dirname "$0")/../../fixtures/kfd/cpu-only" "$OUT"
cd "$OUT" && rocaudit --sysfs cpu-only "$FX/good-two-targets.so"
