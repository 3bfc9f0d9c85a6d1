package conversation

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/lists"
	"hindsql/internal/pattern"
	"hindsql/tables"
)

// Unclear is the error for an id that matches several sessions or none.
type Unclear struct {
	ID         string
	Candidates []Session // the latest first, at most mostCandidates; empty if no session matches
	Count      int       // number of all candidates
}

const mostCandidates = 20

// Error counts the candidates. A front end may list them.
func (u *Unclear) Error() string {
	if u.Count == 0 {
		return fmt.Sprintf("no session has an id that begins with %q", u.ID)
	}
	return fmt.Sprintf("%d sessions have an id that begins with %q", u.Count, u.ID)
}

// Find returns the session that an id means: a session's whole id, the agent's own id,
// or the beginning of one session's id, with main sessions preferred. For a subagent
// the id may also be the beginning of the parent's, a slash, and the beginning of the
// subagent's own part. An agent limits the search to the agent's sessions; empty means
// any. The error is an [*Unclear] if not exactly one session matches.
func Find(ctx context.Context, run Run, agent, id string) (*Session, error) {
	// A subquery counts the rows: a window over few rows crashes DuckDB 1.5.5 once in
	// some hundred runs, "Attempted to access index 0 within vector of size 0".
	set, err := run(ctx, `WITH candidates AS (`+tables.MatchingSessions("$id")+`), mine AS (FROM candidates WHERE $agent = '' OR agent = $agent),
		best AS (FROM mine WHERE rank = (SELECT min(rank) FROM mine))
		SELECT agent, session_id, project, kind, about, started_at, ended_at, (SELECT count(*) FROM best) FROM best
		ORDER BY ended_at DESC NULLS LAST, agent, session_id LIMIT `+strconv.Itoa(mostCandidates),
		map[string]any{"id": id, "agent": agent})
	if err != nil {
		return nil, err
	}
	unclear := &Unclear{ID: id}
	for _, row := range set.Rows {
		unclear.Count = int(number(row[7]))
		unclear.Candidates = append(unclear.Candidates, candidate(row))
	}
	if unclear.Count != 1 || id == "" {
		return nil, unclear
	}
	return &unclear.Candidates[0], nil
}

// Split splits a reference into an id and, after a colon, the index of a message. The
// index is -1 if the reference has none.
func Split(reference string) (id string, message int64) {
	if i := strings.LastIndexByte(reference, ':'); i > 0 {
		if n, err := strconv.ParseInt(reference[i+1:], 10, 32); err == nil && n >= 0 {
			return reference[:i], n
		}
	}
	return reference, -1
}

// Ids holds the ids of all sessions with the short form of each.
type Ids struct{ short map[string]string }

// The fewest letters shown of an id.
const leastMain, leastOwn = 8, 4

// ReadIds reads the ids of all sessions.
func ReadIds(ctx context.Context, run Run) (*Ids, error) {
	set, err := run(ctx, "SELECT session_id, kind, parent_session_id FROM sessions", nil)
	if err != nil {
		return nil, err
	}
	r := &shortener{parent: map[string]string{}, short: make(map[string]string, len(set.Rows)), below: map[string][]string{}}
	for _, row := range set.Rows {
		id, parent := text(row[0]), text(row[2])
		r.all = append(r.all, id)
		if text(row[1]) == "main" {
			r.mains = append(r.mains, id)
		}
		if parent != "" {
			r.parent[id] = parent
		}
	}
	slices.Sort(r.all)
	slices.Sort(r.mains)
	r.shorten()
	return &Ids{r.short}, nil
}

// Short returns the shortest beginning of an id that [Find] accepts, 8 letters or more.
// For a subagent, Short returns the parent's short form, a slash, and 4 or more letters
// of the subagent's own part. The index of a message after a colon stays. Short returns
// a text unchanged if no session has that id.
func (i *Ids) Short(reference string) string {
	if short, ok := i.short[reference]; ok {
		return short
	}
	id, message := Split(reference)
	short, ok := i.short[id]
	if !ok || message < 0 {
		return reference
	}
	return short + reference[len(id):]
}

// shortener computes the short forms.
type shortener struct {
	all, mains []string // sorted
	parent     map[string]string
	below      map[string][]string // by main session: ids of the sessions below
	short      map[string]string
}

func (r *shortener) shorten() {
	for _, id := range r.mains {
		r.short[id] = uniqueBeginning(r.mains, id)
	}
	for _, id := range r.all {
		if root := r.root(id); root != "" {
			r.below[root] = append(r.below[root], id)
		}
	}
	for _, id := range r.all {
		if _, done := r.short[id]; done {
			continue
		}
		if root := r.root(id); root != "" {
			r.short[id] = r.short[root] + "/" + ownBeginning(r.below[root], id)
		} else {
			r.short[id] = uniqueBeginning(r.all, id)
		}
	}
}

// root returns the main session above a session. The result is empty if none is found
// within two steps, as far as [tables.MatchingSessions] looks.
func (r *shortener) root(id string) string {
	for range 2 {
		id = r.parent[id]
		if _, ok := slices.BinarySearch(r.mains, id); ok && r.parent[id] == "" {
			return id
		}
	}
	return ""
}

// uniqueBeginning returns the shortest beginning of id that no neighbour in the sorted
// list shares.
func uniqueBeginning(sorted []string, id string) string {
	at, _ := slices.BinarySearch(sorted, id)
	n := leastMain
	if at > 0 {
		n = max(n, common(sorted[at-1], id)+1)
	}
	if at+1 < len(sorted) {
		n = max(n, common(sorted[at+1], id)+1)
	}
	return id[:runeBoundary(id, n)]
}

func common(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// runeBoundary returns the first character boundary of s at or after n.
func runeBoundary(s string, n int) int {
	for n < len(s) && s[n]&0xC0 == 0x80 {
		n++
	}
	return min(n, len(s))
}

var letters = pattern.Lazy(`^([A-Za-z]+[-_])+`)

// subagentPart returns the subagent's part of an id, with and without leading words
// such as "agent-".
func subagentPart(id string) (whole, bare string) {
	whole = id[strings.LastIndexByte(id, '/')+1:]
	return whole, whole[len(letters.FindString(whole)):]
}

// ownBeginning returns the shortest beginning of a subagent's own part that matches no
// other session below the same main session, with or without leading words.
func ownBeginning(others []string, id string) string {
	whole, best := subagentPart(id)
	if best == "" {
		best = whole
	}
	for n := leastOwn; n < len(best); n++ {
		n = runeBoundary(best, n)
		shared := slices.ContainsFunc(others, func(other string) bool {
			whole, bare := subagentPart(other)
			return other != id && (strings.HasPrefix(whole, best[:n]) || strings.HasPrefix(bare, best[:n]))
		})
		if !shared {
			return best[:n]
		}
	}
	return whole
}

// Latest returns the main session that ended last and has a prompt. Sessions from the
// folders and their subfolders are preferred; here reports whether the session is one
// of them. The error is an [*Unclear] if no session has a prompt.
func Latest(ctx context.Context, run Run, folders []string) (s *Session, here bool, err error) {
	set, err := run(ctx, "SELECT agent, session_id, project, kind, about, started_at, ended_at, "+inFolders(folders)+` AS here FROM sessions
		WHERE kind = 'main' AND prompt_count > 0 ORDER BY here DESC, ended_at DESC NULLS LAST, agent, session_id LIMIT 1`, nil)
	if err != nil {
		return nil, false, err
	}
	for _, row := range set.Rows {
		s := candidate(row)
		return &s, row[7] == true, nil
	}
	return nil, false, &Unclear{ID: "last"}
}

// candidate reads a session for a list of candidates.
func candidate(row []any) Session {
	return Session{Agent: text(row[0]), ID: text(row[1]), Project: text(row[2]), Kind: text(row[3]), About: text(row[4]), StartedAt: moment(row[5]), EndedAt: moment(row[6])}
}

// Recent returns the sessions whose ids begin with the typed text, for completion: main
// sessions first, then the latest first.
func Recent(ctx context.Context, run Run, typed string, top int) ([]Session, error) {
	set, err := run(ctx, `SELECT agent, session_id, project, kind, about, started_at, ended_at FROM sessions WHERE starts_with(session_id, $typed)
		ORDER BY kind <> 'main', ended_at DESC NULLS LAST, session_id LIMIT `+strconv.Itoa(top), map[string]any{"typed": typed})
	return lists.Map(set.Rows, candidate), err
}
