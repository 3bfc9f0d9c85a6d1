-- diff(old, new): the unified diff of two texts
--
-- Empty for equal texts, NULL if a text is NULL. Line numbers count within the
-- texts. DuckDB without hindsql shows everything from the first change to the
-- last as a single change.
--
--     SELECT file_path, diff(input->>'old_string', input->>'new_string') AS diff FROM tool_calls WHERE tool_name = 'Edit'
CREATE MACRO diff(old, new) AS unified_diff(CAST(old AS VARCHAR), CAST(new AS VARCHAR))
-- DuckDB alone:
CREATE MACRO diff(old, new) AS (
  SELECT CASE WHEN o = n THEN '' WHEN o IS NOT NULL AND n IS NOT NULL THEN concat(
    E'--- old\n+++ new\n@@ -', if(olds = 0, 0, skipped + 1), if(olds = 1, '', ',' || olds), ' +', if(news = 0, 0, skipped + 1), if(news = 1, '', ',' || news), E' @@\n',
    array_to_string(list_transform(a[skipped + 1:head], lambda l: ' ' || l), ''),
    array_to_string(list_transform(a[head + 1:len(a) - tail], lambda l: '-' || l), ''),
    array_to_string(list_transform(b[head + 1:len(b) - tail], lambda l: '+' || l), ''),
    array_to_string(list_transform(a[len(a) - tail + 1:len(a) - tail + 3], lambda l: ' ' || l), '')) END
  FROM (
    -- Three lines before and behind the change go with it.
    SELECT *, greatest(head - 3, 0) AS skipped, len(a) - greatest(head - 3, 0) - greatest(tail - 3, 0) AS olds,
      len(b) - greatest(head - 3, 0) - greatest(tail - 3, 0) AS news
    FROM (
      SELECT *, coalesce(list_min(list_filter(range(1, shorter - head + 1), lambda i: a[len(a) + 1 - i] <> b[len(b) + 1 - i])) - 1, shorter - head) AS tail
      FROM (
        SELECT *, least(len(a), len(b)) AS shorter, coalesce(list_min(list_filter(range(1, least(len(a), len(b)) + 1), lambda i: a[i] <> b[i])) - 1, least(len(a), len(b))) AS head
        FROM (
          -- Lines with their ends; a last one without says so.
          SELECT o, n, list_transform(regexp_extract_all(o, '[^\n]*\n|[^\n]+$'), lambda l: if(ends_with(l, E'\n'), l, l || E'\n\\ No newline at end of file\n')) AS a,
            list_transform(regexp_extract_all(n, '[^\n]*\n|[^\n]+$'), lambda l: if(ends_with(l, E'\n'), l, l || E'\n\\ No newline at end of file\n')) AS b
          FROM (
            -- Texts that both lack a last newline are pieces of a file.
            SELECT if(pieces, o || E'\n', o) AS o, if(pieces, n || E'\n', n) AS n
            FROM (
              SELECT *, o <> '' AND n <> '' AND NOT ends_with(o, E'\n') AND NOT ends_with(n, E'\n') AS pieces
              FROM (SELECT CAST(old AS VARCHAR) AS o, CAST(new AS VARCHAR) AS n)
            )
          )
        )
      )
    )
  )
)
