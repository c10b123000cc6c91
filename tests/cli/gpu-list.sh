rocaudit gpu --list | head -n 12
