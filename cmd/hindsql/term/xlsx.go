package term

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// Limits of one sheet in a workbook.
const (
	sheetRows   = 1 << 20 // rows, including the row of names
	sheetLetter = 32767   // per cell, in UTF-16 units
	sheetDigits = 15      // per number; a longer number becomes text, unrounded
)

// The parts of a workbook besides its one sheet, as few as spreadsheet programs accept.
// The styles by index are: none, a column's name, a date, and a date with a time.
const (
	xmlHead  = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	sheetXML = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	pack     = "http://schemas.openxmlformats.org/package/2006/"
	office   = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

var workbook = [][2]string{
	{"[Content_Types].xml", `<Types xmlns="` + pack + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + office + `sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="` + office + `styles+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + office + `worksheet+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="` + pack + `relationships"><Relationship Id="r1" Type="` + relation + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", `<workbook xmlns="` + sheetXML + `" xmlns:r="` + relation + `"><sheets><sheet name="hindsql" sheetId="1" r:id="r1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + pack + `relationships"><Relationship Id="r1" Type="` + relation + `/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="r2" Type="` + relation + `/styles" Target="styles.xml"/></Relationships>`},
	{"xl/styles.xml", `<styleSheet xmlns="` + sheetXML + `"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/></numFmts>` +
		`<fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>` +
		`<cellXfs count="4"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs></styleSheet>`},
}

// writeXLSX writes a workbook of one sheet, row by row. Numbers stay numbers. Dates and
// times become the spreadsheet's own, in the time zone in which hindsql shows times.
// All other values are text, and NULL is an empty cell. A text too long for a cell ends
// in "…". More rows than a sheet can hold are an error.
func writeXLSX(w *bufio.Writer, r *result.Rows, _ Options) error {
	z := zip.NewWriter(w)
	for _, part := range workbook {
		f, err := z.Create(part[0])
		if err != nil {
			return err
		}
		if _, err := io.WriteString(f, xmlHead+part[1]); err != nil {
			return err
		}
	}
	f, err := z.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 1<<16)
	if err := writeSheet(b, r); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return z.Close()
}

func writeSheet(w *bufio.Writer, r *result.Rows) error {
	types := result.Types(r.Columns)
	w.WriteString(xmlHead + `<worksheet xmlns="` + sheetXML + `"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>`)
	for i := range types {
		fmt.Fprintf(w, `<col min="%d" max="%d" width="%d" customWidth="1"/>`, i+1, i+1, sheetWidth(&types[i], r.Columns[i].Name))
	}
	w.WriteString(`</cols><sheetData><row>`)
	for _, c := range r.Columns {
		cellText(w, c.Name, ` s="1"`)
	}
	w.WriteString("</row>\n")
	rows := 1
	for values, err := range r.All() {
		if err != nil {
			return err
		}
		if rows++; rows > sheetRows {
			return fmt.Errorf("xlsx: a sheet holds %s rows; csv and parquet hold more", words.Int(sheetRows-1))
		}
		w.WriteString("<row>")
		for i, v := range values {
			cell(w, &types[i], v)
		}
		if _, err := w.WriteString("</row>\n"); err != nil {
			return err
		}
	}
	_, err := w.WriteString("</sheetData></worksheet>")
	return err
}

// sheetWidth returns a column's width in digits.
func sheetWidth(t *result.Type, name string) int {
	width := 40
	switch {
	case t.IsTime():
		width = 19
	case t.IsNumber() || t.Base == "BOOLEAN":
		width = 12
	}
	return max(width, min(len(name)+2, 40))
}

func cell(w *bufio.Writer, t *result.Type, v any) {
	switch at, isTime := v.(time.Time); {
	case v == nil:
		w.WriteString("<c/>")
	case isTime && t.IsTime() && at.Year() > 1900 && at.Year() <= 9999:
		style := 3
		if t.Base == "DATE" {
			style = 2
		}
		fmt.Fprintf(w, `<c s="%d"><v>%s</v></c>`, style, strconv.FormatFloat(serial(at), 'f', -1, 64))
	case v == true:
		w.WriteString(`<c t="b"><v>1</v></c>`)
	case v == false:
		w.WriteString(`<c t="b"><v>0</v></c>`)
	default:
		text := t.Text(v)
		if t.IsNumber() && isSheetNumber(text) {
			w.WriteString("<c><v>" + text + "</v></c>")
		} else {
			cellText(w, text, "")
		}
	}
}

// serial returns a time as spreadsheets store it: the days since 30 December 1899 by
// the wall clock, to the millisecond.
func serial(at time.Time) float64 {
	wall := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC)
	days := wall.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Round(time.Millisecond).Hours() / 24
	return math.Round(days*1e9) / 1e9
}

// isSheetNumber reports whether a spreadsheet can hold all digits of a number.
func isSheetNumber(text string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	digits := 0
	for _, r := range mantissa {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) && (digits <= sheetDigits || strings.Contains(text, ".") && digits <= sheetDigits+2)
}

func cellText(w *bufio.Writer, text, style string) {
	w.WriteString("<c" + style + ` t="inlineStr"><is><t xml:space="preserve">`)
	writeXMLText(w, words.CutTo(text, sheetLetter, units))
	w.WriteString("</t></is></c>")
}

// units returns the length in bytes of the longest beginning of text that has no more
// UTF-16 units than parameter most.
func units(text string, most int) int {
	if len(text) <= most {
		return len(text)
	}
	for i, r := range text {
		if most -= max(1, utf16.RuneLen(r)); most < 0 {
			return i
		}
	}
	return len(text)
}

// writeXMLText writes a text. A character not allowed in XML becomes _x001B_, as in
// spreadsheets.
func writeXMLText(w *bufio.Writer, text string) {
	for i, r := range text {
		switch {
		case r == '&':
			w.WriteString("&amp;")
		case r == '<':
			w.WriteString("&lt;")
		case r == '>':
			w.WriteString("&gt;")
		case r == '_' && isEscape(text[i:]):
			w.WriteString("_x005F_")
		case r == '\r', r < ' ' && r != '\n' && r != '\t', r == 0xFFFE, r == 0xFFFF:
			fmt.Fprintf(w, "_x%04X_", r)
		case r == utf8.RuneError:
			w.WriteString("\uFFFD")
		default:
			w.WriteRune(r)
		}
	}
}

// isEscape reports whether a text begins with what looks like a spreadsheet's code for a
// character, such as _x001B_.
func isEscape(text string) bool {
	if len(text) < 7 || text[1] != 'x' || text[6] != '_' {
		return false
	}
	_, err := strconv.ParseUint(text[2:6], 16, 32)
	return err == nil
}
