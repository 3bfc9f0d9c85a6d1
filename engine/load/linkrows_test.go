package load

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// linkLog is a log of a case: its rows, a line each, as in
//
//	sessions session_id=s project=/w
//	messages uuid=u1 timestamp=0:01 text='text 1'
//	tool_calls tool_use_id=c1 tool_kind=plan
//
// The first word is the table, the others are columns; null is NULL. Omitted values
// follow from the lines above, and from linkDefaults: a row belongs to the session
// above and to the message above, and takes the message's place and time. Times count
// from the beginning of 2026, in minutes and seconds; a second colon adds hours. The
// log's row in sources follows from the other rows. The rows in own_names, with the
// log's own data on its sessions, follow from the rows of sessions.
type linkLog struct {
	id        int64
	inserts   []string // statements
	hasPrices bool
}

// linkRow is a row's values by column, as text.
type linkRow map[string]string

// linkDefaults are the values of columns that a line leaves out, by table.
var linkDefaults = map[string]linkRow{
	"sessions":      {"kind": "main"},
	"messages":      {"kind": "prompt", "role": "user", "is_active": "true", "segment": "0"},
	"tool_calls":    {"tool_name": "run", "tool_kind": "command", "status": "pending"},
	"rejections":    {"decided_by": "user", "evidence": "recorded", "confidence": "1"},
	"interruptions": {"type": "user", "phase": "response", "evidence": "recorded", "confidence": "1"},
	"clear_marks":   {"trigger": "command", "command": "/clear", "confidence": "1"},
}

// linkPlaces are the columns that hold the index of the message above, by table.
var linkPlaces = map[string]string{"tool_calls": "message_index", "rejections": "message_index", "interruptions": "message_index", "compactions": "after_message_index"}

const null = "null"

var linkWord = regexp.MustCompile(`^(\w+)(?:=('(?:[^']|'')*'|\S*))?\s*`)

// newLinkLogs reads the logs of a section.
func newLinkLogs(t *testing.T, name, text string) (list []*linkLog) {
	t.Helper()
	for i, part := range regexp.MustCompile(`(?m)^log `).Split(text, -1) {
		if i > 0 {
			name, part, _ = strings.Cut(part, "\n")
		}
		list = append(list, newLinkLog(t, name, part))
	}
	return list
}

func newLinkLog(t *testing.T, name, text string) *linkLog {
	t.Helper()
	log := &linkLog{}
	machine, path, ok := strings.Cut(name, ":")
	if !ok {
		machine, path = linkMachine, name
	}
	source := tables.Source{Agent: "toy", Machine: machine, Path: "/logs/" + path}
	log.id = source.ID()
	m := &linkMaker{t: t, where: name, byTable: map[string][]linkRow{}, all: linkRow{
		"agent": source.Agent, "machine": machine, "host": machine, "source_id": strconv.FormatInt(log.id, 10),
	}}
	for line := range strings.Lines(text) {
		m.add(line)
	}
	if len(m.byTable) > 0 {
		m.put("sources", linkRow{"path": source.Path, "messages": strconv.Itoa(len(m.byTable["messages"])), "problems": "0", "size": "0", "reader_version": "1"})
	}
	log.hasPrices = len(m.byTable["model_prices"]) > 0
	for _, name := range slices.Sorted(maps.Keys(m.byTable)) {
		log.inserts = append(log.inserts, m.insert(name))
	}
	return log
}

// linkMaker makes the rows of a log.
type linkMaker struct {
	t       *testing.T
	where   string
	all     linkRow // values for rows of every table
	byTable map[string][]linkRow
	session linkRow // the last session
	message linkRow // the last message of the session
	count   int     // of the session's messages
}

func (m *linkMaker) add(line string) {
	m.t.Helper()
	row, table := linkRow{}, ""
	rest := strings.TrimSpace(line)
	for rest != "" && !strings.HasPrefix(rest, "#") {
		word := linkWord.FindStringSubmatch(rest)
		switch {
		case word == nil || (word[2] == "") != (table == ""):
			m.t.Fatalf("%s: no row: %s", m.where, line)
		case table == "":
			table = word[1]
		default:
			row[word[1]] = word[2]
			if value, quoted := strings.CutPrefix(word[2], "'"); quoted {
				row[word[1]] = strings.ReplaceAll(strings.TrimSuffix(value, "'"), "''", "'")
			}
		}
		rest = rest[len(word[0]):]
	}
	if table != "" {
		m.complete(table, row)
		m.put(table, row)
	}
}

// complete fills in a row's missing values, from the rows above and linkDefaults.
func (m *linkMaker) complete(table string, row linkRow) {
	set := func(column, value string) {
		if _, ok := row[column]; !ok && value != "" {
			row[column] = value
		}
	}
	switch table {
	case "sessions":
		m.session, m.message, m.count = row, nil, 0
		m.put("own_names", linkRow{"session_id": row["session_id"], "title": row["title"], "about": row["about"], "project": row["project"], "project_keys": row["project_keys"], "approval_key": row["approval_key"]})
		delete(row, "project_keys")
		delete(row, "approval_key")
	case "messages":
		set("message_index", strconv.Itoa(m.count))
		set("line", strconv.Itoa(m.count+2))
		if row["output_tokens"] != "" {
			set("kind", "response")
			set("role", "assistant")
			set("tokens_reliable", "true")
		} else if row["kind"] == "" || row["kind"] == "prompt" {
			set("typed_by", "human")
		}
		m.message, m.count = row, m.count+1
	}
	if place := linkPlaces[table]; place != "" {
		set(place, m.message["message_index"])
		set("timestamp", m.message["timestamp"])
	}
	if table == "messages" || linkPlaces[table] != "" {
		set("session_id", m.session["session_id"])
		set("project", m.session["project"])
	}
	for column, value := range linkDefaults[table] {
		set(column, value)
	}
	if table == "messages" && row["timestamp"] != "" && row["kind"] != "usage" {
		from, to := m.session["started_at"], m.session["ended_at"]
		if from == "" || linkTime(row["timestamp"]) < linkTime(from) {
			m.session["started_at"] = row["timestamp"]
		}
		if to == "" || linkTime(row["timestamp"]) > linkTime(to) {
			m.session["ended_at"] = row["timestamp"]
		}
	}
}

// put adds a row. It fills in the values of m.all, as far as the table has the columns.
func (m *linkMaker) put(table string, row linkRow) {
	m.t.Helper()
	columns := linkColumns[table]
	if columns == nil {
		m.t.Fatalf("%s: there is no table %s", m.where, table)
	}
	for column, value := range m.all {
		if _, ok := row[column]; !ok && columns[column] != "" {
			row[column] = value
		}
	}
	for column, kind := range columns {
		if _, ok := row[column]; !ok && kind == "BOOLEAN" && column != "tokens_reliable" && column != "is_error" {
			row[column] = "false"
		}
	}
	for column := range row {
		if columns[column] == "" {
			m.t.Fatalf("%s: %s has no column %s", m.where, table, column)
		}
	}
	m.byTable[table] = append(m.byTable[table], row)
}

// linkColumns holds the column types of each table.
var linkColumns = func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, t := range tables.All() {
		all[t.Name] = map[string]string{}
		for _, c := range t.Columns {
			all[t.Name][c.Name] = c.Type
		}
	}
	return all
}()

func (m *linkMaker) insert(table string) string {
	var columns []string
	for _, row := range m.byTable[table] {
		columns = append(columns, slices.Collect(maps.Keys(row))...)
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	var rows, names []string
	for _, row := range m.byTable[table] {
		var values []string
		for _, column := range columns {
			values = append(values, linkValue(row[column], linkColumns[table][column]))
		}
		rows = append(rows, "("+strings.Join(values, ", ")+")")
	}
	for _, column := range columns {
		names = append(names, sqltext.Identifier(column))
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES %s", table, strings.Join(names, ", "), strings.Join(rows, ", "))
}

func linkValue(text, kind string) string {
	if text == "" || text == null {
		return "NULL"
	}
	if kind == "TIMESTAMPTZ" {
		text = linkTime(text)
	}
	return fmt.Sprintf("CAST(%s AS %s)", sqltext.Literal(text), kind)
}

// linkTime writes a time as text for DuckDB. The texts sort by time.
func linkTime(text string) string {
	parts := strings.Split(text, ":")
	slices.Reverse(parts)
	parts = append(parts, "0", "0")
	seconds, err := strconv.ParseFloat(parts[0], 64)
	minutes, err2 := strconv.Atoi(parts[1])
	hours, err3 := strconv.Atoi(parts[2])
	if cmp.Or(err, err2, err3) != nil {
		panic("no time: " + text)
	}
	return fmt.Sprintf("2026-01-%02d %02d:%02d:%06.3fZ", 1+hours/24, hours%24, minutes, seconds)
}
