package main

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// inReport asks with a report of one section. The report covers all time unless the
// question has another period.
func (f *faces) inReport(q asking) (t heard) {
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	args := map[string]string{"since": "2001-01-01", "until": "2100-01-01"}
	text := "title = \"Asked\"\n[[section]]\ntitle = \"Rows\"\n"
	if q.name == "" {
		text += "sql = " + quoted(q.sql) + "\n"
	} else {
		text += "query = " + quoted(q.name) + "\n"
	}
	var params []string
	for _, given := range q.given {
		name, value, _ := strings.Cut(given, "=")
		if _, isPeriod := args[name]; isPeriod {
			args[name] = value
			continue
		}
		params = append(params, name+" = "+quoted(value))
	}
	if params != nil {
		text += "params = { " + strings.Join(params, ", ") + " }\n"
	}
	name := fmt.Sprintf("asked%d", f.reports.Add(1))
	path := filepath.Join(f.configured, "hindsql", "reports", name+".toml")
	put(f.T, path, text)
	defer os.Remove(path) // later commands would report a broken file
	made := func(format string) (stdout, stderr string) {
		e, out, said := f.program("report", "run", name, "--format", format, "since="+args["since"], "until="+args["until"])
		_ = execute(context.Background(), e)
		return out.String(), said.String()
	}
	out, said := made("json")
	for line := range strings.Lines(said) {
		t.notices = append(t.notices, strings.TrimSpace(strings.TrimPrefix(line, "hindsql: ")))
	}
	if out == "" {
		t.notices = nil
		said = strings.TrimPrefix(strings.Split(said, "\nhindsql: no report ")[0], "hindsql: ")
		place := regexp.MustCompile(`^(report asked\d+: section 1, Rows: |` + regexp.QuoteMeta(path) + `:\d+: )`)
		t.failure = strings.TrimSpace(place.ReplaceAllString(said, ""))
		return t
	}
	var document struct {
		Sections []struct {
			Note   string
			Result struct {
				Columns []struct{ Name string }
				Rows    [][]json.RawMessage
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &document); err != nil {
		f.Fatalf("%v: %s", err, out)
	}
	section := document.Sections[0]
	for _, c := range section.Result.Columns {
		t.rows.columns = append(t.rows.columns, c.Name)
	}
	for _, row := range section.Result.Rows {
		t.rows.values = append(t.rows.values, compact(row))
	}
	for note := range strings.SplitSeq(section.Note, "\n") {
		t.notices = append(t.notices, note)
	}
	page, _ := made("html")
	_, page, _ = strings.Cut(page, `<h2 id="s1">`)
	t.shown = []grid{onPaper("page", page)}
	if q.given != nil { // the same kinds of values
		return t
	}
	markdown, _ := made("markdown")
	t.shown = append(t.shown, inMarkdown("markdown", markdown, unmarked))
	if plain, _ := made("text"); strings.Contains(plain, "┌") { // otherwise each value has a line
		t.shown = append(t.shown, inLines(plain))
	}
	return t
}

// inLines reads a table with drawn borders.
func inLines(text string) (g grid) {
	g.of = "table"
	_, text, ok := strings.Cut(text, "┌")
	if !ok {
		return g
	}
	text, _, _ = strings.Cut(text, "└")
	head, body, _ := strings.Cut(text, "├")
	rows := func(text string) (list [][]string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "│") {
				list = append(list, parts(strings.Split(strings.Trim(line, "│"), "│")))
			}
		}
		return list
	}
	g.heads, g.cells = rows(head)[0], rows(body)
	return g
}

// counted returns the line below a table that says how many rows a limit left out, such
// as "2 of 34 refusals"; empty if none.
func counted(text string) string {
	return regexp.MustCompile(`(?m)^[\d,]+ of [\d,]+ [a-z]+`).FindString(text)
}

// onPaper reads the first HTML table in a page, or in a part of a page.
func onPaper(of, text string) (g grid) {
	g.of = of
	cells := func(text, tag string) (list []string) {
		for _, m := range regexp.MustCompile(`(?s)<`+tag+`[ >].*?</`+tag+`>`).FindAllString(text, -1) {
			list = append(list, html.UnescapeString(regexp.MustCompile(`(?s)<.*?>`).ReplaceAllString(m, "")))
		}
		return list
	}
	text, _, _ = strings.Cut(text, "</table>")
	for _, row := range regexp.MustCompile(`(?s)<tr[ >].*?</tr>`).FindAllString(text, -1) {
		if g.heads == nil {
			g.heads = parts(cells(row, "th"))
			continue
		}
		g.cells = append(g.cells, parts(cells(row, "td")))
	}
	return g
}

// unmarked removes escapes of a report's Markdown.
var unmarked = strings.NewReplacer(`\\`, `\`, `\|`, "|", "\\`", "`", `\*`, "*", `\_`, "_", `\[`, "[", "&lt;", "<", "&amp;", "&", `\#`, "#", `\~`, "~", "<br>", "\n")

// inMarkdown reads the first Markdown table of a text. plain removes the escapes in
// cells.
func inMarkdown(of, text string, plain *strings.Replacer) (g grid) {
	g.of = of
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		line = strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00") // a bar in the text
		var row []string
		for _, cell := range strings.Split(line, "|") {
			row = append(row, plain.Replace(strings.ReplaceAll(cell, "\x00", `\|`)))
		}
		switch row = parts(row); {
		case g.heads == nil:
			g.heads = row
		case strings.HasPrefix(row[0], "---") && g.cells == nil && !slices.ContainsFunc(row, func(s string) bool { return strings.Trim(s, "-:") != "" }):
		default:
			g.cells = append(g.cells, row)
		}
	}
	return g
}

// parts removes from cells what only the form adds: blanks around the text, and signs
// instead of line ends and tabs.
func parts(cells []string) []string {
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.NewReplacer("⏎", "\n", "⇥", "\t").Replace(cell))
	}
	return cells
}
