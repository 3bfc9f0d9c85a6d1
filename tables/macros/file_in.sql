-- file_in(folder, path): a file's path without the folder
--
-- The whole path if the file lies outside the folder, or if the folder is unknown. For a Windows folder,
-- \ counts as /, the case of letters doesn't matter, and a path inside is returned with /.
--
--     SELECT project, file_in(project, file_path) AS file, count(*) AS edits FROM tool_calls WHERE tool_kind = 'edit' GROUP BY ALL ORDER BY edits DESC LIMIT 10
CREATE MACRO file_in(folder, path) AS CASE
  WHEN starts_with(path, folder || '/') THEN substr(path, length(folder) + 2)
  WHEN NOT coalesce(regexp_matches(folder, '^(?:[A-Za-z]:|\\\\)'), false) THEN path
  WHEN starts_with(lower(replace(path, '\', '/')), rtrim(lower(replace(folder, '\', '/')), '/') || '/') THEN replace(substr(path, length(rtrim(folder, '\/')) + 2), '\', '/')
  WHEN NOT regexp_matches(path, '^(?:[A-Za-z]:|[\\/])') THEN replace(path, '\', '/')
  ELSE path
END
