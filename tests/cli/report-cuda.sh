# pip fell back to the wheel for NVIDIA GPUs.
rocaudit --runtime 7.0 --gpu gfx1100 good-cuda-only.so
