package term

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"

	"hindsql/internal/result"
)

// sheet is a workbook's sheet as a spreadsheet program reads it.
type sheet struct {
	Rows []struct {
		Cells []struct {
			Type  string `xml:"t,attr"`
			Style string `xml:"s,attr"`
			Value string `xml:"v"`
			Text  string `xml:"is>t"`
		} `xml:"c"`
	} `xml:"sheetData>row"`
}

func writeSheetOf(t *testing.T, columns []result.Column, rows ...[]any) (s sheet) {
	t.Helper()
	f, err := ByName("xlsx")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	set := result.Set{Columns: columns, Rows: rows}
	if err := f.Write(&b, set.Read(), Options{}); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range z.File { // each part is XML
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		var into any = &struct{}{}
		if part.Name == "xl/worksheets/sheet1.xml" {
			into = &s
		}
		if err == nil {
			err = xml.Unmarshal(text, into)
		}
		if err != nil {
			t.Errorf("%s: %v", part.Name, err)
		}
	}
	return s
}

// TestWorkbook: each value's form in a sheet.
func TestWorkbook(t *testing.T) {
	paris := time.FixedZone("", 2*60*60)
	for _, c := range []struct {
		typ  string
		v    any
		want string // the cell's type, style and value
	}{
		{"BIGINT", int64(42), "||42"}, {"DOUBLE", 0.1, "||0.1"}, {"VARCHAR", "42", "inlineStr||42"}, {"BOOLEAN", true, "b||1"}, {"VARCHAR", nil, "||"},
		{"HUGEINT", "12345678901234567890", "inlineStr||12345678901234567890"}, {"DOUBLE", "inf", "inlineStr||inf"},
		{"DATE", time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC), "|2|46056"},
		{"TIMESTAMPTZ", time.Date(2026, 2, 3, 12, 0, 0, 0, paris), "|3|46056.5"},
		{"VARCHAR", "a<b>&\"c\"\n\x07 _x0041_ \U0001F600", "inlineStr||a<b>&\"c\"\n_x0007_ _x005F_x0041_ \U0001F600"},
		{"VARCHAR", strings.Repeat("x", sheetLetter), "inlineStr||" + strings.Repeat("x", sheetLetter)},
		{"VARCHAR", strings.Repeat("x", sheetLetter+1), "inlineStr||" + strings.Repeat("x", sheetLetter-1) + "…"},
		{"VARCHAR", strings.Repeat("é", 20000), "inlineStr||" + strings.Repeat("é", 20000)},
		{"VARCHAR", strings.Repeat("\U0001F600", 16384), "inlineStr||" + strings.Repeat("\U0001F600", 16383) + "…"},
	} {
		s := writeSheetOf(t, []result.Column{{Name: "c", Type: c.typ}}, []any{c.v})
		if len(s.Rows) != 2 || len(s.Rows[1].Cells) != 1 {
			t.Fatalf("%v: %v", c.v, s)
		}
		cell := s.Rows[1].Cells[0]
		if got := cell.Type + "|" + cell.Style + "|" + cell.Value + cell.Text; got != c.want {
			t.Errorf("%s %.40v: %.60q, want %.60q", c.typ, c.v, got, c.want)
		}
		if head := s.Rows[0].Cells[0]; head.Text != "c" || head.Style != "1" {
			t.Errorf("the column's name is %v", head)
		}
	}
}
