package copilot

import (
	"cmp"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// formAnswers returns the fields of a form with what the person filled in (FORMAT.md
// §4): content has the values by the names in the call's requestedSchema. It returns nil
// if nothing is filled in.
func (c *call) formAnswers(content *fastjson.Value) []tables.Answer {
	input, err := fastjson.Parse(c.Input)
	if err != nil || c.ToolKind != tables.ToolQuestion {
		return nil
	}
	fields := input.GetObject("requestedSchema", "properties")
	if fields == nil {
		return nil
	}
	var list []tables.Answer
	answered := false
	fields.Visit(func(key []byte, field *fastjson.Value) {
		a := tables.Answer{Question: readers.Text(input, "message"), Options: choices(field)}
		if fields.Len() > 1 {
			a.Question = strings.TrimPrefix(a.Question+"\n"+cmp.Or(readers.Text(field, "title"), string(key)), "\n")
		}
		a.Answer(valuesOf(content.Get(string(key)))...)
		answered = answered || a.Answered()
		list = append(list, a)
	})
	if !answered {
		return nil
	}
	return list
}

// choices returns the values that a field of a form offers.
func choices(field *fastjson.Value) []string {
	list := []string{}
	for _, of := range []*fastjson.Value{field, field.Get("items")} {
		for _, v := range of.GetArray("enum") {
			list = append(list, valuesOf(v)...)
		}
		for _, kind := range []string{"oneOf", "anyOf"} {
			for _, v := range of.GetArray(kind) {
				list = append(list, valuesOf(v.Get("const"))...)
			}
		}
	}
	return list
}

// valuesOf returns a value of a form as texts: one, or those of a list.
func valuesOf(v *fastjson.Value) (texts []string) {
	switch {
	case v == nil, v.Type() == fastjson.TypeNull:
	case v.Type() == fastjson.TypeArray:
		for _, e := range v.GetArray() {
			texts = append(texts, valuesOf(e)...)
		}
	case v.Type() == fastjson.TypeString:
		texts = []string{readers.Text(v)}
	default:
		texts = []string{readers.JSON(v)}
	}
	return texts
}

// respondedWords stand before the answer in the result of ask_user.
const respondedWords = "User responded: "

// worded returns the answer from a result's sentence, for versions that record no
// response.
func (c *call) worded() []tables.Answer {
	answer, ok := strings.CutPrefix(c.result.Output, respondedWords)
	input, err := fastjson.Parse(c.Input)
	if !ok || err != nil || c.ToolKind != tables.ToolQuestion {
		return nil
	}
	a := tables.Answer{Question: cmp.Or(readers.Text(input, "message"), readers.Text(input, "question")), Options: []string{}}
	a.Options = append(a.Options, readers.Texts(input.GetArray("choices"))...)
	if fields := input.GetObject("requestedSchema", "properties"); fields != nil && fields.Len() == 1 {
		fields.Visit(func(key []byte, field *fastjson.Value) {
			a.Options, answer = choices(field), strings.TrimPrefix(answer, string(key)+"=")
		})
	}
	if a.Answer(answer); !a.Answered() {
		return nil
	}
	return []tables.Answer{a}
}
