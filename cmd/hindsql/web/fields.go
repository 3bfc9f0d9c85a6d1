package web

import (
	"cmp"
	"errors"
	"strings"

	"hindsql/queries"
)

// field is a field of a form: a parameter, and what the address gives it.
type field struct {
	Name, Label string
	Value       string // as it was given; empty where nothing was
	Usual       string // what counts where it is empty
	Example     string // shown where it is empty, and nothing counts
	Doc         string
	Wrong       string   // what is wrong with its value
	Options     []option // to choose from; nil: a text is typed
	Proposed    []string // values to choose from, where others are taken, too
	Number      bool
	Hidden      bool // only links set it
	Size        int  // of its box, in letters; 0: as the form has it

	given string // the value as the parameter takes it; empty where that is none
}

// option is a value that can be chosen.
type option struct {
	Value, Text string
	Chosen      bool
}

// fieldOf is the field of a parameter to which the address gives a text.
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

// named are options that are called what they are.
func named(values []string) (list []option) {
	for _, v := range values {
		list = append(list, option{Value: v, Text: v})
	}
	return list
}

// offer has one of some values be chosen. The usual one, or none by its name, is the
// empty option. A value of the address that isn't among them is added.
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

// isSet says that something else counts than where the field is empty.
func (f *field) isSet() bool { return f.Value != "" && !strings.EqualFold(f.Value, f.Usual) }

// shown is the value as the form calls it, without how often it is there.
func (f *field) shown() string {
	for _, o := range f.Options {
		if o.Chosen && o.Value != o.Text {
			name, _, _ := strings.Cut(o.Text, " (")
			return name
		}
	}
	return f.Value
}

// blame puts an error beside the field, if it is about its value.
func (f *field) blame(err error) bool {
	var value *queries.ValueError
	if !errors.As(err, &value) || value.Name != f.Name {
		return false
	}
	f.Wrong = value.Err.Error()
	return true
}

// fieldsOf are the fields of a query's parameters.
func fieldsOf(a *asked, saved *queries.Query) (list []field) {
	for _, p := range saved.Params {
		list = append(list, fieldOf(p, a.get(p.Name)))
		if p.Name == "until" { // what stands for both stands by them
			for _, both := range saved.Takes()[len(saved.Params):] {
				list = append(list, fieldOf(both, a.get(both.Name)))
			}
		}
	}
	return list
}

// takesMoments says that one of the parameters is a moment, or a period.
func takesMoments(saved *queries.Query) bool {
	for _, p := range saved.Params {
		if p.IsMoment() {
			return true
		}
	}
	return false
}

// blame puts an error beside the field whose value it is about; false where it is
// about none.
func blame(fields []field, err error) bool {
	for i := range fields {
		if fields[i].blame(err) {
			return true
		}
	}
	return false
}
