# The CPU is older than the host code asks for.
rocaudit --runtime 7.0 --cpu x86-64-v2 --gpu gfx1030 good-host-x86-64-v3.so
