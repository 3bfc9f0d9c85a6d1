-- project_name(path): the name of a project's folder, as in table projects
--
-- The shortest unique end of the path; for a worktree, the repository's name,
-- and the worktree's in brackets. The path itself if no session or prompt names
-- the folder; NULL stays NULL.
--
--     SELECT project_name(project) AS project, count(*) AS sessions FROM sessions GROUP BY ALL ORDER BY sessions DESC
CREATE MACRO project_name(path) AS (
  -- Names that no argument can have, which would be taken for these columns.
  coalesce((SELECT any_value("name of it") FROM (
    SELECT project AS "project of it", name AS "name of it" FROM ({project names})
  ) WHERE "project of it" = path), path)
)
