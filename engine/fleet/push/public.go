package push

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"

	"hindsql/engine/scope"
	"hindsql/tables"
)

// Public is the scope of the rows of no private project, for a safe Store. The decision
// is a push's, about the rows of all machines. Unlike a push, a log that also holds
// private rows is out of scope: see [scope.Scope].
type Public struct {
	State    string   // as in Options
	Home     string   // as in Options
	LeaveOut []string // as in Options
	decided  atomic.Pointer[leaving]
}

// Decide finds the private projects, and remembers them for later pushes and reports.
func (p *Public) Decide(ctx context.Context, rows scope.Rows) error {
	if err := makeFolder(p.State); err != nil {
		return err
	}
	private, err := readPrivacy(filepath.Join(p.State, privateName), p.Home, p.LeaveOut)
	if err != nil {
		return err
	}
	p.decided.Store(nil)
	l := &leaving{Rows: rows, private: private, own: "true"}
	if err := l.decide(ctx); err != nil {
		return err
	}
	p.decided.Store(l)
	return nil
}

// Holds returns the condition for a table's row to be of no private project. Without
// a decision no row is.
func (p *Public) Holds(t *tables.Table) string {
	l := p.decided.Load()
	if l == nil {
		return "false"
	}
	conditions := append([]string{"source_id IN (SELECT source_id FROM " + pushedSources + ")"}, l.leavesOut(t)...)
	if !t.Has("session_id") {
		conditions = append(conditions, "source_id NOT IN (FROM "+mixedSources+")")
	}
	return strings.Join(conditions, " AND ")
}
