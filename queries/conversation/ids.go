package conversation

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hindsql/tables"
)

// Unclear is the error of an id that several sessions begin with, or none.
type Unclear struct {
	ID         string
	Candidates []Session // the latest first, at most mostCandidates; none where no session has such an id
	Count      int       // of all candidates
}

const mostCandidates = 20

// Error counts the candidates. A face may list them.
func (u *Unclear) Error() string {
	if u.Count == 0 {
		return fmt.Sprintf("no session has an id that begins with %q", u.ID)
	}
	return fmt.Sprintf("%d sessions have an id that begins with %q", u.Count, u.ID)
}

// Find gives the session that an id means: the id itself, as much of its
// beginning as no other main session has, or of a subagent its parent's, a slash,
// and the beginning of its own. An agent narrows that to its sessions; empty for
// any. The error is an [*Unclear] where not exactly one is meant.
func Find(ctx context.Context, run Run, agent, id string) (*Session, error) {
	// Counted by a subquery: a window over few rows ends DuckDB 1.5.5 once in some
	// hundred times, "Attempted to access index 0 within vector of size 0".
	set, err := run(ctx, `WITH candidates AS (`+tables.Matching("$id")+`), mine AS (FROM candidates WHERE $agent = '' OR agent = $agent),
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
		unclear.Candidates = append(unclear.Candidates, listed(row))
	}
	if unclear.Count != 1 || id == "" {
		return nil, unclear
	}
	return &unclear.Candidates[0], nil
}

// Split takes a reference apart: an id, and behind a colon the index of a
// message; -1 where it names none.
func Split(reference string) (id string, message int64) {
	if i := strings.LastIndexByte(reference, ':'); i > 0 {
		if n, err := strconv.ParseInt(reference[i+1:], 10, 32); err == nil && n >= 0 {
			return reference[:i], n
		}
	}
	return reference, -1
}

// Ids are the ids of all sessions, and how short each may be written.
type Ids struct{ short map[string]string }

// The least letters of an id that are shown.
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

// Short is the shortest beginning of an id that [Find] takes for it, of 8
// letters or more; of a subagent it is its parent's, a slash, and 4 or more of
// its own. The index of a message behind a colon stays. A text that is no id of
// a session is given back as it is.
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

// shortener works out the short forms.
type shortener struct {
	all, mains []string // in order
	parent     map[string]string
	below      map[string][]string // by main session: the sessions below it
	short      map[string]string
}

func (r *shortener) shorten() {
	for _, id := range r.mains {
		r.short[id] = beginning(r.mains, id)
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
			r.short[id] = beginning(r.all, id)
		}
	}
}

// root is the main session above one; empty where there is none within two steps,
// which is as far as [tables.Matching] looks.
func (r *shortener) root(id string) string {
	for range 2 {
		id = r.parent[id]
		if _, ok := slices.BinarySearch(r.mains, id); ok && r.parent[id] == "" {
			return id
		}
	}
	return ""
}

// beginning is the shortest one that no neighbour in the sorted list has.
func beginning(sorted []string, id string) string {
	at, _ := slices.BinarySearch(sorted, id)
	n := leastMain
	if at > 0 {
		n = max(n, common(sorted[at-1], id)+1)
	}
	if at+1 < len(sorted) {
		n = max(n, common(sorted[at+1], id)+1)
	}
	return id[:wholeRunes(id, n)]
}

func common(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// wholeRunes is the first end of a character from n on.
func wholeRunes(s string, n int) int {
	for n < len(s) && s[n]&0xC0 == 0x80 {
		n++
	}
	return min(n, len(s))
}

var letters = regexp.MustCompile(`^([A-Za-z]+[-_])+`)

// own are the two ways in which a subagent's part of an id may begin.
func own(id string) (whole, bare string) {
	whole = id[strings.LastIndexByte(id, '/')+1:]
	return whole, whole[len(letters.FindString(whole)):]
}

// ownBeginning is the shortest one that none of the others below the same main
// session has, either way.
func ownBeginning(others []string, id string) string {
	whole, best := own(id)
	if best == "" {
		best = whole
	}
	for n := leastOwn; n < len(best); n++ {
		n = wholeRunes(best, n)
		shared := slices.ContainsFunc(others, func(other string) bool {
			whole, bare := own(other)
			return other != id && (strings.HasPrefix(whole, best[:n]) || strings.HasPrefix(bare, best[:n]))
		})
		if !shared {
			return best[:n]
		}
	}
	return whole
}

// Latest gives the session in which a person typed last: one of the folders, or
// below one, and here tells that; else any. The error is an [*Unclear] where no
// session has a prompt.
func Latest(ctx context.Context, run Run, folders []string) (s *Session, here bool, err error) {
	set, err := run(ctx, "SELECT agent, session_id, project, kind, about, started_at, ended_at, "+Here(folders)+` AS here FROM sessions
		WHERE kind = 'main' AND prompt_count > 0 ORDER BY here DESC, ended_at DESC NULLS LAST, agent, session_id LIMIT 1`, nil)
	if err != nil {
		return nil, false, err
	}
	for _, row := range set.Rows {
		s := listed(row)
		return &s, row[7] == true, nil
	}
	return nil, false, &Unclear{ID: "last"}
}

// listed is a session as lists of candidates have it.
func listed(row []any) Session {
	return Session{Agent: text(row[0]), ID: text(row[1]), Project: text(row[2]), Kind: text(row[3]), About: text(row[4]), StartedAt: moment(row[5]), EndedAt: moment(row[6])}
}

// Recent gives sessions whose ids begin with a text, main ones first, the latest
// first: what may be meant by what was typed so far.
func Recent(ctx context.Context, run Run, typed string, top int) ([]Session, error) {
	set, err := run(ctx, `SELECT agent, session_id, project, kind, about, started_at, ended_at FROM sessions WHERE starts_with(session_id, $typed)
		ORDER BY kind <> 'main', ended_at DESC NULLS LAST, session_id LIMIT `+strconv.Itoa(top), map[string]any{"typed": typed})
	var list []Session
	for _, row := range set.Rows {
		list = append(list, listed(row))
	}
	return list, err
}
