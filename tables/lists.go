package tables

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/lists"
)

// listTables are the tables whose rows are made when a statement asks for them.
var listTables = []*Table{
	reportRuns,
	{
		Name: "agents",
		Doc:  "One row per folder that is searched for an agent's logs, and per folder of an agent that is found and not read. Files that lie beside logs and look like logs, but aren't read, have a row per pattern. The folders are looked at when a statement asks. Empty for SQL with a scope, such as an agent's.",
		Columns: []Column{
			{"agent", "VARCHAR", "the agent's name, as in all tables; the title of an agent whose logs aren't read"},
			{"folder", "VARCHAR", "the searched folder; for files that aren't read, a pattern"},
			{"named_by", "VARCHAR", "who named the folder: default, a flag, or a variable of the environment"},
			{"found", "BOOLEAN", "whether the folder exists"},
			{"logs", "BIGINT", "number of logs in the folder, or of files of the pattern; null for an agent whose logs aren't read"},
			{"bytes", "BIGINT", "size of the logs; null if they aren't read"},
			{"is_read", "BOOLEAN", "whether hindsql reads the logs in the folder"},
			{"why_not", "VARCHAR", "why logs that may be in the folder aren't read; null if they are read, or the folder is missing"},
		},
	},
	{
		Name: "prices",
		Doc:  "One row per model and tier of the list of prices by which costs are estimated, in US dollars for a million tokens. The list is read when a statement asks.",
		Columns: []Column{
			{"model", "VARCHAR", "name of the model in the list"},
			{"above", "BIGINT", "the row's prices are for a request that reads more tokens than this; null for the first tier"},
			{"input_usd", "DOUBLE", "price of input"},
			{"output_usd", "DOUBLE", "price of output"},
			{"cache_read_usd", "DOUBLE", "price of input read from the cache"},
			{"cache_write_usd", "DOUBLE", "price of input written to the cache"},
			{"cache_write_1h_usd", "DOUBLE", "price of input written to the cache for an hour"},
		},
	},
	{
		Name: "queries",
		Doc:  "One row per saved query. Queries of the user's are left out for SQL with a scope, such as an agent's.",
		Columns: []Column{
			{"name", "VARCHAR", "name of the query, for `hindsql NAME`"},
			{"title", "VARCHAR", "what the query answers"},
			{"subject", "VARCHAR", "subject of the query, such as Tokens and cost"},
			{"origin", "VARCHAR", "file of the user's query, and whether the query replaces a built-in one; null for a built-in query"},
		},
	},
	{
		Name: ListOfTables,
		Doc:  "One row per table and per function of hindsql. The rows of each table are counted when a statement asks, those in scope if there is a scope.",
		Columns: []Column{
			{"name", "VARCHAR", "name of the table or function"},
			{"kind", "VARCHAR", "table or function"},
			{"rows", "BIGINT", "number of rows; null for a function, and for a table whose rows are made when asked for"},
			{"what", "VARCHAR", "meaning of a row, or the call of the function and its result"},
		},
	},
}

// ListOfTables is the name of the list of tables.
const ListOfTables = "tables"

// Lists returns the tables whose rows are made when a statement asks for them. The rows
// lie in no store: [All] leaves the tables out, and so do exports, pushes and lakes.
func Lists() []*Table { return listTables }

// ListDDL returns the statement that creates the view of a list in a schema. Function
// listed_rows gives the rows as JSON.
func (t *Table) ListDDL(schema string) string {
	types := lists.Map(t.Columns, func(c Column) string { return `"` + c.Name + `":"` + c.Type + `"` })
	return fmt.Sprintf("CREATE VIEW %s.%s AS SELECT unnest(from_json(listed_rows('%[2]s'), '[{%[3]s}]'), recursive := true)", schema, t.Name, strings.Join(types, ","))
}

// ListText returns the rows of a list as JSON for listed_rows. A row has a value for
// each column.
func ListText(list string, rows [][]any) (string, error) {
	i := slices.IndexFunc(listTables, func(t *Table) bool { return t.Name == list })
	if i < 0 {
		return "", fmt.Errorf("listed_rows: no list %q", list)
	}
	objects := make([]map[string]any, len(rows))
	for j, row := range rows {
		objects[j] = map[string]any{}
		for k, c := range listTables[i].Columns {
			objects[j][c.Name] = row[k]
		}
	}
	text, err := json.Marshal(objects)
	return string(text), err
}

// ListRuns returns the rows of list report_runs as JSON. The journal only grows: the last
// line about a run counts. A truncated line isn't JSON, and is left out.
func ListRuns(journal string) (string, error) {
	type run struct {
		Name      string    `json:"name"`
		PeriodEnd time.Time `json:"period_end"`
		Attempt   int       `json:"attempt"`
	}
	seen, lines := map[run]bool{}, []json.RawMessage{}
	for _, line := range slices.Backward(strings.Split(strings.ToValidUTF8(journal, "\uFFFD"), "\n")) {
		var r run
		if json.Unmarshal([]byte(line), &r) == nil && !seen[r] {
			seen[r], lines = true, append(lines, json.RawMessage(line))
		}
	}
	slices.Reverse(lines)
	text, err := json.Marshal(lines)
	return string(text), err
}

// ListCounts returns SQL that counts the rows of each table outside of the lists. A schema
// has the views: a user's table may have the plain name of one.
func ListCounts(schema string) string {
	return lists.Join(Views(), " UNION ALL ", func(t *Table) string { return fmt.Sprintf("SELECT '%s', count(*) FROM %s", t.Name, t.NameIn(schema)) })
}

// TableRows returns the rows of list tables. counts are numbers of rows.
func TableRows(counts map[string]any) (rows [][]any) {
	for _, t := range Shown() {
		rows = append(rows, []any{t.Name, "table", counts[t.Name], t.Doc})
	}
	for _, m := range Macros() {
		rows = append(rows, []any{m.Name, "function", nil, m.Call + ": " + m.Title})
	}
	return rows
}

// PriceRows returns the rows of list prices.
func PriceRows(prices []Price) (rows [][]any) {
	for _, p := range prices {
		rows = append(rows, append([]any{p.Model, nil}, perMillion(p.Rates)...))
		for _, t := range p.Tiers {
			rows = append(rows, append([]any{p.Model, t.Above}, perMillion(t.Rates)...))
		}
	}
	return rows
}

// perMillion returns the rates for a million tokens, without the last digits, which the
// multiplication makes up.
func perMillion(r Rates) (list []any) {
	for _, v := range r.All() {
		n, _ := strconv.ParseFloat(strconv.FormatFloat(v*1e6, 'g', 9, 64), 64)
		list = append(list, n)
	}
	return list
}

var reportRuns = &Table{
	Name: "report_runs",
	Doc:  "One row per run of a scheduled report or push: each attempt for a period. The rows come from the journal of `hindsql report run --scheduled` beside the store, not from a log; exports leave the rows out.",
	Key:  []string{"name", "period_end", "attempt"},
	Columns: []Column{
		{"name", "VARCHAR", "name of the report; of a push, push- and a hash of the target"},
		{"period_start", "TIMESTAMPTZ", "start of the period covered by the report, inclusive"},
		{"period_end", "TIMESTAMPTZ", "end of the period, exclusive: the time at which the scheduler began the run"},
		{"started_at", "TIMESTAMPTZ", "start of the attempt"},
		{"finished_at", "TIMESTAMPTZ", "end of the attempt"},
		{"status", "VARCHAR", "ok, alert (ok, with something to tell) or failed"},
		{"error", "VARCHAR", "why the run failed, or an error after the run, such as in notify; otherwise null"},
		{"output", "VARCHAR", "path of the written file; null without a file"},
		{"attempt", "INTEGER", "1 for the first run for a period, 2 for the next run after a failure …"},
	},
}

// ReportRuns returns the table of report runs. The table lies beside the store, not
// inside: [All] leaves it out.
func ReportRuns() *Table { return reportRuns }
