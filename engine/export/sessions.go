package export

import (
	"context"
	"fmt"
	"strings"

	"hindsql/engine"
	"hindsql/internal/sqltext"
)

// pickSessions completes the given session ids, which may be beginnings of ids.
func (e *exporting) pickSessions(ctx context.Context) error {
	for i, given := range e.Sessions {
		var ids []string
		quoted := sqltext.Literal(given)
		query := fmt.Sprintf("SELECT DISTINCT session_id FROM %s.sessions WHERE starts_with(session_id, %s) ORDER BY session_id = %[2]s DESC, contains(substr(session_id, length(%[2]s) + 1), '/'), session_id LIMIT 4", engine.StoreSchema, quoted)
		if err := e.reading.Each(ctx, query, func(scan func(...any) error) error {
			var id string
			err := scan(&id)
			ids = append(ids, id)
			return err
		}); err != nil {
			return err
		}
		below := func(id string) bool { return strings.Contains(strings.TrimPrefix(id, given), "/") } // a subagent of a session that begins with given
		switch {
		case len(ids) == 0:
			return engine.NotOne(fmt.Sprintf("session %q: no session's id begins so; hindsql \"SELECT session_id, about FROM sessions\" lists them", given))
		case ids[0] != given && len(ids) > 1 && (below(ids[0]) || !below(ids[1])):
			return engine.NotOne(fmt.Sprintf("session %q: several begin so: %s; give more of it", given, strings.Join(ids, ", ")))
		}
		e.Sessions[i] = ids[0]
	}
	return nil
}
