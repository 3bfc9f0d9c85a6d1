package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hindsql/engine"
)

// sessionID is the SQL of a session's id, without secrets where asked.
func (o *Options) sessionID() string {
	if o.Redact == nil {
		return "session_id"
	}
	return engine.Redacted("session_id", "VARCHAR")
}

// fileOfSession is the SQL of a file's name for a session, which any disk and
// every URL takes. An id that can't be a name, or has a secret, gets a hash that keeps it
// apart from others.
func (o *Options) fileOfSession() string {
	return strings.ReplaceAll(`CASE WHEN regexp_full_match({id}, '[A-Za-z0-9_-][A-Za-z0-9._-]{0,159}') THEN {id}
	ELSE left(regexp_replace({id}, '[^A-Za-z0-9_-]+', '_', 'g'), 100) || '-' || left(md5(session_id), 8) END`, "{id}", o.sessionID())
}

// trajectoryFile is the SQL of the file of a session's trajectory. A subagent's lies
// in the same folder as that of the session which started it.
func (o *Options) trajectoryFile() string {
	return "agent || '/' || " + o.fileOfSession() + " || '.trajectory.json'"
}

// atifItem exports trajectories. Harbor, and what reads its trajectories, take one
// JSON document a file; on standard output they stand one a line.
func atifItem(_ context.Context, e *exporting) (*item, error) {
	it := &item{name: "trajectories", options: e.record("UTC"), rows: e.unifiedRows(), counted: "CAST(sum(n) AS BIGINT)"}
	if e.Dir != Stdout {
		it.each = e.trajectoryFile()
	}
	it.copy = func(ctx context.Context, target, where string) error {
		files, err := e.ofSubagents(ctx)
		if err != nil {
			return err
		}
		if e.Dir != Stdout {
			return e.eachTrajectory(ctx, where, files, func(file string, text []byte) error {
				place := filepath.Join(target, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
					return err
				}
				return os.WriteFile(place, text, 0o600)
			})
		}
		return writeFile(target, func(w *bufio.Writer) error {
			return e.eachTrajectory(ctx, where, files, func(_ string, text []byte) error {
				_, err := w.Write(text)
				return err
			})
		})
	}
	return it, nil
}

// withSteps is the SQL of the sessions that have a message which becomes a step: others
// are no trajectory.
const withSteps = "SEMI JOIN (FROM " + engine.StoreSchema + ".messages WHERE kind IS DISTINCT FROM 'usage') USING (agent, session_id)"

// ofSubagents gives the files of the wanted sessions that others started.
func (e *exporting) ofSubagents(ctx context.Context) (map[string]string, error) {
	files := map[string]string{}
	query := "SELECT agent || ' ' || " + e.sessionID() + ", " + e.trajectoryFile() + " FROM (" + e.unifiedSessions() + ") WHERE parent_session_id IS NOT NULL OR kind <> 'main'"
	err := e.reading.Each(ctx, query, func(scan func(...any) error) error {
		var session, file string
		err := scan(&session, &file)
		files[session] = path.Base(file)
		return err
	})
	return files, err
}

// eachTrajectory calls visit for each session's file and text, which ends its line.
func (e *exporting) eachTrajectory(ctx context.Context, where string, files map[string]string, visit func(file string, text []byte) error) error {
	return e.eachObject(ctx, where, func(file, object string) error {
		folder, _, _ := strings.Cut(file, "/")
		t, err := trajectoryOf([]byte(object), func(session string) string { return files[folder+" "+session] })
		if err != nil {
			return fmt.Errorf("%s: %w", path.Base(file), err)
		}
		var text bytes.Buffer
		encode := json.NewEncoder(&text)
		encode.SetEscapeHTML(false)
		if err := encode.Encode(t); err != nil {
			return fmt.Errorf("%s: %w", path.Base(file), err)
		}
		return visit(file, text.Bytes())
	})
}
