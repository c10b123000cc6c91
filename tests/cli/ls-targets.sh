# Unique targets of all that is named, one a line.
rocaudit ls -1 good-two-targets.so good-xnack-both.so good-generic-only.so good-bundle.fb
