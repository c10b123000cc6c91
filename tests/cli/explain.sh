rocaudit explain RA003
rocaudit explain payload-damaged
rocaudit explain ra011 --format json
rocaudit explain | head -n 4
rocaudit explain RA999
echo "exit $?"
