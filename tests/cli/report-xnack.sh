# Code for xnack only, and a board as it comes.
kfd=$(dirname "$0")/../../fixtures/kfd
rocaudit --runtime 7.0 --sysfs "$kfd/mi210-x2" good-xnack-on.so
