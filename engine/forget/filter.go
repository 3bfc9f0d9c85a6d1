package forget

import (
	"slices"
	"strings"
	"sync"

	"hindsql/engine/store"
	"hindsql/tables"
)

// Filter leaves forgotten sessions out of the logs of a sync, before their rows
// reach a batch: no byte of a forgotten text gets into the store's file. Logs known to
// have forgotten sessions are read first, because they tell the keys of messages that
// other logs copied. A log with a session below one not seen yet is read last.
type Filter struct {
	at store.File

	mutex   sync.Mutex // guards the fields below
	list    *List
	of      map[string]*tables.Forgotten // by agent
	roots   map[Name]*Session            // by the session and by each subagent
	above   map[Name][]string            // sessions that a session belongs to; has each session seen so far
	isLast  bool                         // all sessions were seen
	isDirty bool                         // the list has to be written
}

// NewFilter returns nil for an empty list.
func NewFilter(at store.File, list *List) *Filter {
	if len(list.Sessions) == 0 {
		return nil
	}
	g := &Filter{at: at, list: list, of: map[string]*tables.Forgotten{}, roots: map[Name]*Session{}, above: map[Name][]string{}}
	for _, s := range list.Sessions {
		of := g.ofAgent(s.Agent)
		for _, id := range append([]string{s.SessionID}, s.Subagents...) {
			of.Sessions[id], g.roots[Name{s.Agent, id}] = true, s
		}
		for _, k := range s.Keys {
			of.Keys[k] = true
		}
		for _, k := range s.Approvals {
			of.Approvals[k] = true
		}
	}
	return g
}

// ofAgent returns what is forgotten of an agent.
func (g *Filter) ofAgent(agent string) *tables.Forgotten {
	of := g.of[agent]
	if of == nil {
		of = &tables.Forgotten{Sessions: map[string]bool{}, Keys: map[uint64]bool{}, Approvals: map[string]bool{}}
		g.of[agent] = of
	}
	return of
}

// Log is a log as far as a Filter needs to know it.
type Log struct {
	Agent, Path, Part string
	SourceID          int64
}

// BeginRound begins a round of a load. All logs are read once, those first for which
// IsSuspect is true. Before the last round, all logs but the postponed ones were read.
func (g *Filter) BeginRound(isLast bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.isLast = isLast
}

// IsSuspect reports whether the log is known to have a forgotten session, or is named
// after one.
func (g *Filter) IsSuspect(f Log) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.isSuspect(f)
}

func (g *Filter) isSuspect(f Log) bool {
	return slices.ContainsFunc(g.list.Sessions, func(s *Session) bool {
		return s.Agent == f.Agent && (slices.Contains(s.Logs, f.SourceID) || strings.Contains(f.Path, s.SessionID) || f.Part == s.SessionID)
	})
}

// Apply leaves out of a log's rows what is forgotten. failed says that hindsql could not
// read all of the log. It returns nil if nothing of the log may be loaded now. If the
// log is postponed, the last round reads it again.
func (g *Filter) Apply(f Log, rows *tables.File, failed bool) (left *tables.File, isPostponed bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if rows == nil || failed && g.isSuspect(f) {
		return nil, false
	}
	kin := rows.Relatives()
	for _, k := range kin {
		name := Name{f.Agent, k.SessionID}
		g.above[name] = union(g.above[name], k.Above)
	}
	for _, k := range kin {
		name := Name{f.Agent, k.SessionID}
		root, isSure := g.root(name)
		if root == nil && !isSure && !g.isLast {
			return nil, true
		}
		for _, id := range append([]string{k.SessionID}, k.Started...) {
			if root != nil {
				g.addSubagent(Name{f.Agent, id}, root)
			}
		}
	}
	out := rows.Forget(g.ofAgent(f.Agent))
	if len(out.Sessions) > 0 && failed {
		return nil, false
	}
	g.recordLog(f.Agent, f.SourceID, out)
	// Before the rows are stored: a log that is known to the store isn't read again, and
	// could not tell it again.
	if g.isDirty && g.list.Write(g.at) != nil {
		return nil, false // the next sync tries again
	}
	g.isDirty = false
	return rows, false
}

// root returns the forgotten session above a session, or the session itself; nil if
// none is forgotten. isSure is false if a session above wasn't seen yet.
func (g *Filter) root(name Name) (root *Session, isSure bool) {
	isSure = true
	seen := map[string]bool{}
	for next := []string{name.SessionID}; len(next) > 0; next = next[1:] {
		at := Name{name.Agent, next[0]}
		if root := g.roots[at]; root != nil {
			return root, true
		}
		if seen[next[0]] {
			continue
		}
		seen[next[0]] = true
		above, known := g.above[at]
		isSure = isSure && known
		next = append(next, above...)
	}
	return nil, isSure
}

// addSubagent records that a session belongs to a forgotten one.
func (g *Filter) addSubagent(name Name, root *Session) {
	if g.roots[name] != nil {
		return
	}
	g.roots[name], g.ofAgent(name.Agent).Sessions[name.SessionID] = root, true
	root.Subagents, g.isDirty = append(root.Subagents, name.SessionID), true
}

// recordLog records the ids and keys in the log of a forgotten session.
func (g *Filter) recordLog(agent string, source int64, out tables.ForgetResult) {
	if len(out.Sessions) == 0 {
		return
	}
	root, of := g.roots[Name{agent, out.Sessions[0]}], g.ofAgent(agent)
	if !slices.Contains(root.Logs, source) {
		root.Logs, g.isDirty = append(root.Logs, source), true
	}
	for _, k := range out.Keys {
		if !of.Keys[k] {
			of.Keys[k], g.isDirty = true, true
			root.Keys = append(root.Keys, k)
		}
	}
	for _, k := range out.Approvals {
		of.Approvals[k], g.isDirty = true, true
		root.Approvals = append(root.Approvals, k)
	}
}

// AddStored adds a session that the store has, and its parent; empty without
// one.
func (g *Filter) AddStored(name Name, parent string) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.above[name] = nil
	if parent != "" {
		g.above[name] = []string{parent}
	}
}
