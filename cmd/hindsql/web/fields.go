package web

import (
	"cmp"
	"errors"
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
	Wrong       string   // error of the value
	Options     []option // to choose from; nil means a text field
	Proposed    []string // suggestions; other values are allowed, too
	Number      bool
	Hidden      bool // only links set it
	Size        int  // width in letters; 0 means the form's default

	given string // the value in the parameter's form; empty if missing or wrong
}

// option is a value that the user can choose.
type option struct {
	Value, Text string
	Chosen      bool
}

// fieldOf returns the field of a parameter, with a text from the address.
func fieldOf(p queries.Param, text string) field {
	f := field{Name: p.Name, Label: strings.ReplaceAll(p.Name, "_", " "), Value: text, Doc: p.Doc}
	if p.Default != "NULL" {
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

// offer gives the field options. The empty option stands for the usual value. If no
// value is usual, the empty option has the text none. offer adds the address's value if
// the values lack it.
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

// shown returns the value's name in the form, without the number of rows.
func (f *field) shown() string {
	for _, o := range f.Options {
		if o.Chosen && o.Value != o.Text {
			name, _, _ := strings.Cut(o.Text, " (")
			return name
		}
	}
	return f.Value
}

// blame puts an error beside the field, if the error is about the field's value.
func (f *field) blame(err error) bool {
	var value *queries.ValueError
	if !errors.As(err, &value) || value.Name != f.Name {
		return false
	}
	f.Wrong = value.Err.Error()
	return true
}

// fieldsOf returns the fields of a query's parameters.
func fieldsOf(a *asked, saved *queries.Query) (list []field) {
	for _, p := range saved.Params {
		list = append(list, fieldOf(p, a.get(p.Name)))
		if p.Name == "until" { // during, instead of since and until, follows until
			for _, both := range saved.Takes()[len(saved.Params):] {
				list = append(list, fieldOf(both, a.get(both.Name)))
			}
		}
	}
	return list
}

// takesMoments reports whether a parameter is a time or a period.
func takesMoments(saved *queries.Query) bool {
	for _, p := range saved.Params {
		if p.IsMoment() {
			return true
		}
	}
	return false
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
