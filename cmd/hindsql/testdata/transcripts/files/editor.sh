printf "SELECT 43 AS\n  n;\n" > "$1"
