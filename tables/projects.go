package tables

import (
	"regexp"
	"slices"
	"strings"

	"hindsql/internal/sqltext"
)

var projects = &Table{
	Name: "projects",
	Doc: "One row per project folder named by sessions or by the agents' histories of prompts. A worktree is recognised by the path, " +
		"such as REPO/.worktrees/NAME; hindsql doesn't look at your folders.",
	Key:  []string{"project"},
	View: projectsView,
	Columns: []Column{
		{"name", "VARCHAR", "the shortest unique end of the path; for a worktree, the repository's name, and the worktree's in brackets: shop-api (fix-login)"},
		{"last_seen", "TIMESTAMPTZ", "time of the latest message or prompt"},
		{"first_seen", "TIMESTAMPTZ", "time of the earliest message or prompt"},
		{"session_count", "BIGINT", "sessions of kind main; 0 if only a history of prompts names the folder"},
		{"subagent_count", "BIGINT", "sessions of all other kinds: subagents and helpers"},
		{"prompt_count", "BIGINT", "prompts typed by a person, copies left out"},
		{"agents", "VARCHAR[]", "agents that ran in the folder"},
		{"hosts", "VARCHAR[]", "names of the machines with logs of the folder"},
		{"worktree", "VARCHAR", "name of the worktree; null if the folder is no known worktree"},
		{"project", "VARCHAR", "the folder, as in sessions.project; null for sessions without a project"},
		{"repository", "VARCHAR", "folder of the repository's main working tree: in the worktree's path, or the only project with the repository's name; if unknown, the folder of the worktrees, or the first worktree; for a folder outside worktrees, the folder itself"},
	},
}

// projectsView counts by folder; names come from projectNames.
const projectsView = `WITH counted AS (
  SELECT project, max(ended_at) AS last_seen, min(started_at) AS first_seen,
    count(*) FILTER (kind = 'main') AS session_count, count(*) FILTER (kind <> 'main') AS subagent_count,
    coalesce(sum(prompt_count), 0)::BIGINT AS prompt_count,
    coalesce(list(DISTINCT agent ORDER BY agent), []) AS agents, coalesce(list(DISTINCT host ORDER BY host) FILTER (host IS NOT NULL), []) AS hosts
  FROM (
    SELECT project, started_at, ended_at, kind, prompt_count, agent, host FROM {schema}.sessions WHERE NOT is_copy
    UNION ALL BY NAME
    SELECT p.project, p.timestamp AS started_at, p.timestamp AS ended_at, p.agent, s.host
    FROM {schema}.prompts p LEFT JOIN {schema}.sources s USING (source_id) WHERE p.project IS NOT NULL)
  GROUP BY project)
SELECT name, last_seen, first_seen, session_count, subagent_count, prompt_count, agents, hosts, worktree, c.project, repository
FROM counted c LEFT JOIN (` + projectNames + `) n ON n.project = c.project`

// projectNames is a query for each project's repository, worktree and name. The name is
// the shortest tail of the path unique among all folders. To find it, the query counts
// the tails of all paths, in time linear in folders, not in pairs of folders.
//
// Patterns in braces come from Worktrees. Each pattern extracts the repository, or a
// folder in place of a repository known only by last name; the worktree's name; and the
// path below the worktree. A repository is sure if the path holds it whole, or if the
// logs of both folders name one remote. Otherwise it is a guess by name.
const projectNames = `WITH folders AS (
  SELECT project, regexp_replace(project, '([^:/\\])[/\\]+$', '\1') AS folder, max(git_remote) AS remote
  FROM (SELECT project, git_remote FROM {schema}.sessions UNION ALL SELECT project, NULL FROM {schema}.prompts)
  WHERE project IS NOT NULL GROUP BY project),
found AS (
  SELECT folder, max(remote) AS remote, regexp_extract(folder, '[^/\\]*$') AS last,
    CASE WHEN regexp_matches(folder, {name first}) THEN regexp_extract(folder, {name first}, ['main', 'name', 'called', 'below'])
      WHEN regexp_matches(folder, {repository first}) THEN regexp_extract(folder, {repository first}, ['main', 'called', 'name', 'below'])
      WHEN regexp_matches(folder, {inside}) THEN regexp_extract(folder, {inside}, ['main', 'name', 'below']) END AS tree
  FROM folders GROUP BY folder),
-- A main working tree that the path does not tell is the one project of that
-- name, with the same remote where both are known.
mains AS (
  SELECT t.folder, CASE WHEN count(DISTINCT m.folder) FILTER (m.remote = t.remote) = 1 THEN min(m.folder) FILTER (m.remote = t.remote)
    WHEN count(DISTINCT m.folder) = 1 THEN min(m.folder) END AS main,
    count(DISTINCT m.folder) FILTER (m.remote = t.remote) = 1 AS sure
  FROM found t JOIN found m ON m.last = t.tree.called AND m.tree IS NULL AND coalesce(m.remote = t.remote, true)
  GROUP BY t.folder),
placed AS (
  SELECT f.folder, tree.name AS worktree, tree.below AS below, CASE WHEN tree IS NULL THEN f.folder
    ELSE coalesce(m.main, min(tree.main) OVER (PARTITION BY coalesce(tree.called, tree.main), remote)) END AS repository,
    tree.called IS NULL OR coalesce(m.sure, remote IS NOT NULL) AS sure
  FROM found f LEFT JOIN mains m USING (folder)),
tails AS (
  SELECT folder, depth, CASE WHEN contains(folder, '/') THEN array_to_string(parts[-depth:], '/') ELSE array_to_string(parts[-depth:], '\') END AS tail
  FROM (
    SELECT folder, parts, unnest(range(1, len(parts) + 1)) AS depth
    FROM (SELECT repository AS folder, list_filter(string_split_regex(repository, '[/\\]'), lambda part: part <> '') AS parts FROM placed GROUP BY repository))),
shortest AS (
  SELECT folder, arg_min(tail, depth) AS tail
  FROM (SELECT any_value(folder) AS folder, any_value(depth) AS depth, tail FROM tails GROUP BY tail HAVING count(*) = 1)
  GROUP BY folder),
named AS (
  SELECT folder, repository, sure, worktree, coalesce(tail, repository) || CASE WHEN worktree IS NULL THEN '' ELSE below || ' (' || worktree || ')' END AS name
  FROM placed LEFT JOIN (SELECT folder AS repository, tail FROM shortest) USING (repository)),
single AS (SELECT * REPLACE (CASE WHEN count(*) OVER (PARTITION BY name) = 1 THEN name ELSE folder END AS name) FROM named)
SELECT project, repository, sure, worktree, name FROM folders JOIN single USING (folder)`

// Repositories returns a query over the tables of {schema} for each project's
// repository, and whether the repository is sure: see projectNames.
func Repositories() string { return "SELECT project, repository, sure FROM (" + projectNames + ")" }

// The placeholders in a pattern of a worktree.
const (
	repositoryPart = "REPO"
	worktreePart   = "NAME"
)

// Worktrees lists the places of worktrees as paths with slashes. NAME stands for the
// worktree's own name. REPO stands for the main working tree's folder if REPO comes
// first, as in REPO/.worktrees/NAME; otherwise for the folder's last name, as in
// ~/worktrees/REPO/NAME. ~ is any folder.
type Worktrees []string

// commonWorktrees lists the places used by git's users, and by programs that start
// agents.
var commonWorktrees = Worktrees{
	"REPO/.worktrees/NAME", "REPO.worktrees/NAME", "REPO.git/worktrees/NAME", "REPO/.git/worktrees/NAME", "REPO/.conductor/NAME",
	"~/conductor/workspaces/REPO/NAME", "~/.cursor/worktrees/REPO/NAME", "~/.windsurf/worktrees/REPO/NAME",
	"~/vibe-kanban/worktrees/NAME/REPO",
}

// Expand returns a statement of a view or function with the patterns of commonWorktrees
// and of w filled in.
func (w Worktrees) Expand(statement string) string {
	var inside, repositoryFirst, nameFirst []string
	for _, place := range append(slices.Clone(commonWorktrees), w...) {
		base := strings.NewReplacer(repositoryPart, "", worktreePart, "", "~", "").Replace(place)
		switch repository, name := strings.Index(place, repositoryPart), strings.Index(place, worktreePart); {
		case repository == 0:
			inside = append(inside, pathPattern(strings.TrimSuffix(base, "/")))
		case repository < name:
			repositoryFirst = append(repositoryFirst, pathPattern(strings.TrimRight(base, "/")))
		default:
			nameFirst = append(nameFirst, pathPattern(strings.TrimRight(base, "/")))
		}
	}
	const slash, part, below = `[/\\]`, `([^/\\]+)`, `((?:[/\\].*)?)$`
	return strings.NewReplacer(
		"{inside}", sqltext.Literal(`^(.+?)`+anyOf(inside)+slash+part+below),
		"{repository first}", sqltext.Literal(`^(.*`+anyOf(repositoryFirst)+slash+part+`)`+slash+part+below),
		"{name first}", sqltext.Literal(`^(.*`+anyOf(nameFirst)+slash+part+slash+part+`)`+below),
	).Replace(statement)
}

// pathPattern returns a pattern that matches a path with slashes or backslashes.
func pathPattern(path string) string { return strings.ReplaceAll(regexp.QuoteMeta(path), "/", `[/\\]`) }

func anyOf(patterns []string) string { return "(?:" + strings.Join(patterns, "|") + ")" }
