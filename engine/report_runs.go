package engine

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"hindsql/internal/regular"
	"hindsql/tables"
)

// RunsPath returns the path of the journal of report runs that belongs to a store. The
// journal lies in a separate folder, to survive any loss of the store.
func RunsPath(store string) string {
	return strings.TrimSuffix(store, ".duckdb") + ".reports" + string(os.PathSeparator) + "runs.ndjson"
}

// journalLines returns the journal's text, empty if the file doesn't exist yet.
func (in *instance) journalLines(context.Context, []driver.Value) (any, error) {
	text, err := regular.Read(RunsPath(in.at.Path), regular.Own)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.ToValidUTF8(string(text), "\uFFFD"), err
}

// runsView shows the journal as table report_runs. The journal only grows. If a run has
// several lines, the view shows the last. A truncated line isn't JSON. So the view
// checks each line by itself: a conversion of all lines at once would stop at the first
// broken line.
func runsView() string {
	t := tables.ReportRuns()
	var fields, columns []string
	for _, c := range t.Columns {
		fields = append(fields, fmt.Sprintf(`"%s":"%s"`, c.Name, c.Type))
		columns = append(columns, "run."+c.Name)
	}
	return fmt.Sprintf(`CREATE VIEW %s AS SELECT %s FROM (
		SELECT from_json(line, '{%s}') AS run, place FROM (
			SELECT unnest(lines) AS line, unnest(range(len(lines))) AS place
			FROM (SELECT string_split(report_journal('runs'), chr(10)) AS lines))
		WHERE CASE WHEN json_valid(line) THEN json_type(line) = 'OBJECT' ELSE false END)
	QUALIFY row_number() OVER (PARTITION BY %s ORDER BY place DESC) = 1
	ORDER BY run.started_at, place;
	`, "memory."+ourNames+"."+t.Name, strings.Join(columns, ", "), strings.Join(fields, ","), "run."+strings.Join(t.Key, ", run."))
}
