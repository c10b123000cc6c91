rocaudit --version | sed 's/[0-9][0-9.]*/N/g'
rocaudit --help | head -n 1
rocaudit -h | cmp - "$(rocaudit help >"$OUT/help"; echo "$OUT/help")"
rocaudit ls --help | head -n 1
