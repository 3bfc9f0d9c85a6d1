package web

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"hindsql/queries"
)

// field is a field of a form: a parameter with its value from the address.
type field struct {
	Name, Label string
	Value       string // the text from the address; empty if missing
	Usual       string // the value that applies if Value is empty
	Example     string // shown if Value is empty and no usual value applies
	Doc         string
	Apart       bool     // the page shows Doc elsewhere
	Wrong       string   // error of the value
	Options     []option // to choose from; nil means a text field
	Proposed    []string // suggestions; other values are allowed, too
	Number      bool
	Hidden      bool // only links set it
	Size        int  // width in letters; 0 means the form's default

	given string // the value as the query takes it; empty if missing or wrong
}

// option is a value that the user can choose.
type option struct {
	Value, Text string
	Chosen      bool
}

// fieldOf returns the form's field for a parameter. text is the value in the page's
// URL; empty if missing.
func fieldOf(p queries.Param, text string) field {
	f := field{Name: p.Name, Label: strings.ReplaceAll(p.Name, "_", " "), Value: text, Doc: p.Doc}
	if p.Default != "NULL" && p.Default != "" {
		f.Usual = strings.Trim(p.Default, "'")
	}
	var err error
	if f.given, err = p.Value(text); err != nil {
		f.blame(err)
	}
	values := p.Values
	if p.Type == "BOOLEAN" {
		values = []string{"true", "false"}
	}
	if values == nil {
		f.Proposed = p.Proposed()
		f.Number = strings.HasSuffix(p.Type, "INT") || p.Type == "INTEGER"
		return f
	}
	f.offer("any", named(values))
	return f
}

// named returns options whose texts are their values.
func named(values []string) (list []option) {
	for _, v := range values {
		list = append(list, option{Value: v, Text: v})
	}
	return list
}

// offer makes the field a choice among values. An empty option comes first: it stands
// for the usual value, or has the text of parameter none if no value is usual. If
// values lack the value from the URL, offer adds it.
func (f *field) offer(none string, values []option) {
	f.Options, f.Proposed = []option{{Text: cmp.Or(f.Usual, none)}}, nil
	chosen := 0
	for _, v := range values {
		if v.Value == f.Usual {
			f.Options[0].Text = v.Text
			continue
		}
		if chosen == 0 && f.isSet() && strings.EqualFold(v.Value, f.Value) {
			chosen = len(f.Options)
		}
		f.Options = append(f.Options, v)
	}
	if chosen == 0 && f.isSet() {
		chosen = len(f.Options)
		f.Options = append(f.Options, option{Value: f.Value, Text: f.Value})
	}
	f.Options[chosen].Chosen = true
}

// isSet reports whether the field has a value other than the usual one.
func (f *field) isSet() bool { return f.Value != "" && !strings.EqualFold(f.Value, f.Usual) }

// shown returns the text of the chosen option without its number of rows: Bash for
// "Bash (12)". Without options it returns the value.
func (f *field) shown() string {
	for _, o := range f.Options {
		if o.Chosen && o.Value != o.Text {
			name, _, _ := strings.Cut(o.Text, " (")
			return name
		}
	}
	return f.Value
}

// blame sets an error to be shown beside the field, if the error is about the field's
// value. It reports whether it is.
func (f *field) blame(err error) bool {
	var value *queries.ValueError
	if !errors.As(err, &value) || value.Name != f.Name {
		return false
	}
	f.Wrong = value.Err.Error()
	return true
}

// fieldsOf returns the form's fields for a query's parameters, with the values of the
// request.
func fieldsOf(a *asked, saved *queries.Query) (list []field) {
	for _, p := range saved.Params {
		list = append(list, fieldOf(p, a.get(p.Name)))
		if p.Name == "until" { // during, which can replace since and until, stands after until
			for _, both := range saved.Takes()[len(saved.Params):] {
				list = append(list, fieldOf(both, a.get(both.Name)))
			}
		}
	}
	return list
}

// takesMoments reports whether a parameter of the query is a time or a period.
func takesMoments(saved *queries.Query) bool {
	return slices.ContainsFunc(saved.Params, func(p queries.Param) bool { return p.IsMoment() })
}

// blame puts an error beside the field with the wrong value. It returns false if the
// error is about no field.
func blame(fields []field, err error) bool {
	for i := range fields {
		if fields[i].blame(err) {
			return true
		}
	}
	return false
}
