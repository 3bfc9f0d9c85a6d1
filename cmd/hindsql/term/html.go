package term

import (
	"bufio"
	"html/template"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// htmlHead begins a page without external resources. The page follows the screen's
// light or dark setting. The table's head stays in sight, and a wide table scrolls
// separately.
const htmlHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>hindsql</title>
<style>
:root { color-scheme: light dark; --line: light-dark(#d8d8d8, #444); --head: light-dark(#f4f4f4, #262626); }
body { font: 14px/1.45 system-ui, sans-serif; margin: 1rem; }
div { overflow: auto; max-height: calc(100vh - 5rem); border: 1px solid var(--line); }
table { border-collapse: collapse; }
th, td { padding: .3rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 4rem; max-width: 48rem; }
th { position: sticky; top: 0; background: var(--head); white-space: nowrap; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.t { white-space: nowrap; }
i { opacity: .5; }
@media print { div { max-height: none; overflow: visible; } }
</style>
</head>
<body>
<div tabindex="0"><table>
<thead><tr>`

// writeHTML writes a page with a table of all rows, each value as text. Long texts of a
// saved query are cut, and the line below says so.
func writeHTML(w *bufio.Writer, r *result.Rows, o Options) error {
	types := result.Types(r.Columns)
	w.WriteString(htmlHead)
	classes := make([]string, len(types))
	for i, c := range r.Columns {
		switch {
		case types[i].IsNumber():
			classes[i] = ` class="n"`
		case types[i].IsTime():
			classes[i] = ` class="t"`
		}
		w.WriteString(`<th scope="col"` + classes[i] + ">" + template.HTMLEscapeString(c.Name) + "</th>")
	}
	w.WriteString("</tr></thead>\n<tbody>\n")
	rows, cut := 0, false
	for values, err := range r.All() {
		if err != nil {
			return err
		}
		rows++
		w.WriteString("<tr>")
		for i, v := range values {
			text := template.HTMLEscapeString(o.page(o.orNull(v, &types[i]), r.Columns[i], &cut))
			if v == nil && text != "" {
				text = "<i>" + text + "</i>"
			}
			w.WriteString("<td" + classes[i] + ">" + text + "</td>")
		}
		if _, err := w.WriteString("</tr>\n"); err != nil {
			return err
		}
	}
	note := ""
	if cut {
		note = ". " + cutOnPage
	}
	_, err := w.WriteString("</tbody>\n</table></div>\n<p>" + words.Quantity(rows, "row") + note + "</p>\n</body>\n</html>\n")
	return err
}
