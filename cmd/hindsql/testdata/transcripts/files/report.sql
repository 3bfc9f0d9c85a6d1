-- what .read runs
.mode csv
SELECT 'from a file' AS n;
SELECT 2 AS last
