cp -r "$(dirname "$0")/../../fixtures/kfd/cpu-only" "$OUT"
cd "$OUT" && rocaudit --runtime 10.0 --sysfs cpu-only "$FX/good-two-targets.so"
