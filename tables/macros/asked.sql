-- asked(input): the plan or question in a tool call's arguments
--
-- Of several questions, the first. NULL if the arguments have no plan, summary of a plan, or question.
--
--     SELECT timestamp, asked(input) AS question, status FROM tool_calls WHERE tool_kind = 'question'
CREATE MACRO asked(input) AS coalesce(input->>'plan', input->>'summary', input->>'question', input->>'$.questions[0].question')
