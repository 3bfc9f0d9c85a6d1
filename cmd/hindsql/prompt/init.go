package prompt

import (
	"context"
	"fmt"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/sqltext"
)

// Init runs the user's own file of views, macros and settings at the start. Results of
// the file aren't shown. After an error Init reports file and line, and goes on.
func (p *Prompt) Init(ctx context.Context, source, text string) {
	bail := p.Settings.Bail
	p.Settings.Bail, p.sink.quiet = false, true
	err := p.reader.deeper(ctx, source, text)
	p.Settings.Bail, p.sink.quiet = bail, false
	p.runner.last = ""
	p.runner.made = nil
	p.reader.failed, p.reader.leaving = 0, false
	if err != nil && ctx.Err() == nil {
		p.complain(err)
	}
}

// created returns the name of the table that a statement creates. The name is empty for
// a temporary table, for a table in a named database, and if the statement creates no
// table.
func created(code sqltext.Code) string {
	if !code.Skip("create", "table") && !code.Skip("create", "or", "replace", "table") {
		return ""
	}
	code.Skip("if", "not", "exists")
	if behind := code.At(1).Word(); behind != "(" && behind != "as" {
		return ""
	}
	return code[0].Name()
}

// noteTables updates the list of tables that a script's statements create, and that no
// later statement uses.
func (r *runner) noteTables(sql string) {
	code := sqltext.CodeOf(sql)
	for _, token := range code {
		delete(r.made, token.Name())
	}
	if name := created(code); name != "" {
		if r.made == nil {
			r.made = map[string]bool{}
		}
		r.made[name] = true
	}
}

// tellTables warns about tables that a one-shot command created and never used: they
// are gone when the command ends. The notice says how to keep them. Tables in a
// database that the user attached and chose with USE are left out, because they last.
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
			term.Notice(r.Err, "table %s is gone when this command ends; to keep it, write a file (-o %s.parquet), or a database of yours (ATTACH 'my.duckdb' AS my; CREATE TABLE my.%s AS …); a view in %s is there at each start", name, name, name, r.InitFile)
		}
	}
	return nil
}
