# Writes a table of the first primes.
echo "static const unsigned PRIMES[] = {"
for prime in 2 3 5 7 11 13; do echo "    $prime,"; done
echo "};"
