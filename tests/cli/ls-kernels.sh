rocaudit ls --kernels good-kernels-gfx90a.co good-kernels-gfx1100.co
