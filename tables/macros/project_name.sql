-- project_name(path): the name of a project's folder, as projects has it
--
-- The shortest end of the path that no other project has, and a worktree's own
-- name in brackets after its repository's. The path itself where no session has
-- it; NULL stays NULL.
--
--     SELECT project_name(project) AS project, count(*) AS sessions FROM sessions GROUP BY ALL ORDER BY sessions DESC
CREATE MACRO project_name(path) AS (
  -- Names that no argument can have, which would be taken for these columns.
  coalesce((SELECT any_value("name of it") FROM (
    SELECT project AS "project of it", name AS "name of it" FROM ({project names})
  ) WHERE "project of it" = path), path)
)
