-- about(path, command, input): what a tool call was about
--
-- The file if known, otherwise the command, otherwise the argument that says most: plan or question, description,
-- pattern, query, url or message. All arguments if none of these is known. file_in gives a path without the project's folder.
--
--     SELECT timestamp, tool_name, about(file_in(project, file_path), command, input) AS about FROM tool_calls WHERE status = 'error'
CREATE MACRO about(path, command, input) AS coalesce(path, command, {asked(input)}, input->>'description',
  input->>'pattern', input->>'query', input->>'url', input->>'message', CAST(input AS VARCHAR))
