-- diff(old, new): the unified diff of two texts
--
-- Empty when they are equal, NULL when either is NULL. Line numbers count
-- within the texts.
--
--     SELECT file_path, diff(input->>'old_string', input->>'new_string') AS diff FROM tool_calls WHERE tool_name = 'Edit'
CREATE TEMP MACRO diff(old, new) AS unified_diff(CAST(old AS VARCHAR), CAST(new AS VARCHAR))
