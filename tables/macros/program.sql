-- program(command): the first program in a shell command
--
-- With the subcommand of git, npm and the like, without the program's folder. Skips a leading cd, assignments of
-- variables, sudo and the like, in a POSIX shell, PowerShell and cmd. A cmdlet's name is unchanged.
--
--     SELECT program(command) AS program, count(*) AS calls FROM tool_calls WHERE command IS NOT NULL GROUP BY ALL ORDER BY calls DESC LIMIT 10
CREATE MACRO program(command) AS (
  CASE
  -- Most commands begin with the program's name alone, or with its subcommand, and cost half of the expressions below.
  WHEN lower(regexp_extract(command, '^([A-Za-z_][\w-]*)(?:\s|$)', 1)) NOT IN ('', 'powershell', 'pwsh', 'cmd', 'cd', 'set-location', 'push-location',
      'export', 'sudo', 'time', 'env', 'nohup', 'timeout', 'set', 'git', 'gh', 'npm', 'npx', 'pnpm', 'yarn', 'bun', 'go', 'cargo', 'make', 'mise', 'docker', 'kubectl', 'pip', 'pip3',
      'uv', 'poetry', 'brew', 'apt', 'apt-get', 'terraform', 'aws', 'gcloud', 'systemctl', 'dotnet', 'swift')
    AND NOT regexp_matches(command, '^python3? -m') THEN regexp_extract(command, '^[\w-]+')
  WHEN regexp_matches(command, '^(?:git|gh|npm|npx|pnpm|yarn|bun|go|cargo|make|mise|docker|kubectl|pip3?|uv|poetry|brew|apt|apt-get|terraform|aws|gcloud|systemctl|dotnet|swift) [a-z]')
    THEN regexp_replace(regexp_extract(command, '^[\w-]+ (?:run\s+)?[a-z][\w:-]*'), '\s+', ' ', 'g')
  -- From the inside: a shell that is given the command, what stands before the program, the quotes of its
  -- path, its extension, git's own options.
  ELSE regexp_replace(regexp_replace(regexp_extract(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(command,
    '^\s*(?:"?(?:\S*[/\\])?(?:powershell|pwsh)(?:\.exe)?"?(?:\s+-(?:NoProfile|NoLogo|NonInteractive|(?:ExecutionPolicy|ep)\s+\S+))*\s+-(?:Command|c)\s+|cmd(?:\.exe)?\s+/c\s+)["'']?', '', 'i'),
    '^(?:\s|\\|\(|&\s*|#[^\n]*\n|(?:cd|Set-Location|Push-Location)\s+(?:/d\s+|-(?:Literal)?Path\s+)?(?:"[^"]*"|''[^'']*''|[^\s;&|]+)\s*(?:&&|;|\n)|(?:export\s+)?[A-Za-z_]\w*=(?:"[^"$]*"|''[^'']*''|[^\s"''$;&]*)\s*(?:&&|;|\s)|[A-Za-z_]\w*="?\$\(\s*|\$(?:\w+:)?\w+\s*\+?=\s*(?:(?:"[^"]*"|''[^'']*''|[^\s;|&"'',]+)(?:\s*,\s*(?:"[^"]*"|''[^'']*''|[^\s;|&"'',]+))*\s*(?:;|&&|\n))?|\[[\w.]+\]::\w+\s*=[^;\n]*(?:;|\n)|(?:sudo|time|env|nohup)\s|timeout\s+\S+\s|set\s+(?:-\S+|\w+=[^&;\n]*)\s*(?:&&|;|\n))+', ''),
    '^["''](?:[^"''\n]*[/\\])?([^"''/\\\n]+)["'']', '\1'),
    '^([^\s;|&<>()]+?)\.(?:exe|cmd)(\s|$)', '\1\2', 'i'),
    '^(?:\S*[/\\])?git(?:\s+(?:-[Cc]\s+\S+|--no-pager))+', 'git'),
    '^(?:\S*[/\\])?((?:git|gh|npm|npx|pnpm|yarn|bun|go|cargo|make|mise|docker|kubectl|pip3?|uv|poetry|brew|apt|apt-get|terraform|aws|gcloud|systemctl|dotnet|swift|python3? -m)\s+(?:run\s+)?[a-z][\w:-]*|[^\s;|&<>()]+)', 1),
    '\s+', ' ', 'g'), '^([^"'']+)["'']$', '\1')
  END
)
