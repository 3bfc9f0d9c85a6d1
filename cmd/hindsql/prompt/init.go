package prompt

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"hindsql/cmd/hindsql/show"
	"hindsql/engine"
)

// Init runs the user's own file that each start runs: views, macros, settings. Its
// results are not shown. Errors are told, with file and line, and stop nothing.
func (p *Prompt) Init(ctx context.Context, source, text string) {
	bail := p.Settings.Bail
	p.Settings.Bail, p.sink.quiet = false, true
	err := p.reader.deeper(ctx, source, text)
	p.Settings.Bail, p.sink.quiet = bail, false
	p.runner.forget()
	p.runner.made = nil
	p.reader.failed, p.reader.leaving = 0, false
	if err != nil && ctx.Err() == nil {
		p.complain(err)
	}
}

// creates matches a statement that makes a table which is neither temporary nor in
// a database that is named.
var creates = regexp.MustCompile(`(?is)^(?:\s|--[^\n]*\n|/\*.*?\*/)*CREATE\s+(?:OR\s+REPLACE\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?("[^"]+"|[\pL_][\pL\d_]*)\s*(?:\(|AS\b)`)

// noteTables keeps track of the tables that statements make and none uses.
func (r *runner) noteTables(sql string) {
	for word := range engine.Tokens(sql) {
		delete(r.made, strings.ToLower(strings.Trim(word, `"`)))
	}
	if m := creates.FindStringSubmatch(sql); m != nil {
		if r.made == nil {
			r.made = map[string]bool{}
		}
		r.made[strings.ToLower(strings.Trim(m[1], `"`))] = true
	}
}

// tellTables says of the tables that a one-shot command made for nothing how they
// are kept. One in a database that the user attached, and uses, lasts.
func (r *runner) tellTables(ctx context.Context) error {
	if len(r.made) == 0 {
		return nil
	}
	set, err := r.View.Session.Collect(ctx, "SELECT lower(table_name) FROM duckdb_tables() WHERE database_name = 'memory' AND schema_name = 'main'", nil)
	if err != nil {
		return err
	}
	for _, row := range set.Rows {
		if name := fmt.Sprint(row[0]); r.made[name] {
			show.Notice(r.Err, "table %s is gone when this command ends; to keep it, write a file (-o %s.parquet), or a database of yours (ATTACH 'my.duckdb' AS my; CREATE TABLE my.%s AS …); a view in %s is there at each start", name, name, name, r.InitFile)
		}
	}
	return nil
}
