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

// sessionID returns the SQL of a session's id, redacted if the export redacts.
func (o *Options) sessionID() string {
	if o.Redact == nil {
		return "session_id"
	}
	return engine.Redacted("session_id", "VARCHAR")
}

// fileOfSession returns the SQL of a session's file name, valid on any disk and in
// every URL. An id that can't be a name, or contains a secret, gets a hash to keep the
// name unique.
func (o *Options) fileOfSession() string {
	return strings.ReplaceAll(`CASE WHEN regexp_full_match({id}, '[A-Za-z0-9_-][A-Za-z0-9._-]{0,159}') THEN {id}
	ELSE left(regexp_replace({id}, '[^A-Za-z0-9_-]+', '_', 'g'), 100) || '-' || left(md5(session_id), 8) END`, "{id}", o.sessionID())
}

// trajectoryFile returns the SQL of the file for a session's trajectory. A subagent's
// file lies in the same folder as the file of its parent session.
func (o *Options) trajectoryFile() string {
	return "agent || '/' || " + o.fileOfSession() + " || '.trajectory.json'"
}

// atifItem exports trajectories. Harbor and other ATIF readers expect one JSON document
// a file. Standard output gets one trajectory a line.
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

// withSteps is the SQL filter for sessions with a message that becomes a step. Other
// sessions have no trajectory.
const withSteps = "SEMI JOIN (FROM " + engine.StoreSchema + ".messages WHERE kind IS DISTINCT FROM 'usage') USING (agent, session_id)"

// ofSubagents returns the files of the wanted subagent sessions, by agent and session
// id.
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

// eachTrajectory calls visit for each session's file and text. The text ends with a
// newline.
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
