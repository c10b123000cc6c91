# A program sees the targets that are required as devices.
rocaudit check --runtime 7.1 --require 'gfx1030 gfx90a' --forbid gfx1030 --format json \
    good-partial.so |
    grep -oE '"(schema|source|rule|device|verdict|message|exit)": ("[^"]*"|[0-9a-z]+)'
