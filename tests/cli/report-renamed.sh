# A neighbour's kernels under the name of the GPU: it loads nothing, or gibberish.
rocaudit --runtime 6.4 --gpu gfx1010 odd-Kernels.so-000-gfx1010.hsaco
