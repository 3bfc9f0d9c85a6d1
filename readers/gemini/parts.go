package gemini

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// parts holds the content of a PartListUnion: a string, a part, or a list of either.
type parts struct {
	text     string
	thinking []string
	images   []readers.Image
	calls    []*fastjson.Value // functionCall, valid as long as the record
	answers  []*call           // functionResponse
}

func (c *chat) partsOf(v *fastjson.Value, kind string) parts {
	var p parts
	switch {
	case readers.Is(v, fastjson.TypeString):
		p.text = readers.Text(v)
	case readers.Is(v, fastjson.TypeArray):
		var texts []string
		for _, part := range v.GetArray() {
			texts = c.part(&p, texts, part, kind)
		}
		p.text = strings.Join(texts, "\n")
	case readers.Is(v, fastjson.TypeObject):
		p.text = strings.Join(c.part(&p, nil, v, kind), "\n")
	}
	return p
}

// part reads one part, and returns texts with the part's text appended.
func (c *chat) part(p *parts, texts []string, v *fastjson.Value, kind string) []string {
	switch {
	case readers.Is(v, fastjson.TypeString):
		return append(texts, readers.Text(v))
	case readers.Bool(v, "thought"):
		p.thinking = append(p.thinking, readers.Text(v, "text"))
	case v.Exists("text"):
		return append(texts, readers.Text(v, "text"))
	case v.Exists("functionResponse"):
		r := v.Get("functionResponse")
		a := &call{}
		a.ToolUseID = readers.Text(r, "id")
		a.respond(r.Get("response"))
		p.answers = append(p.answers, a)
	case v.Exists("functionCall"):
		p.calls = append(p.calls, v.Get("functionCall"))
	case v.Exists("inlineData"):
		data := v.Get("inlineData")
		p.images = append(p.images, readers.ImageOf(readers.Text(data, "mimeType"), data.GetStringBytes("data")))
	case v.Exists("fileData"):
		p.images = append(p.images, readers.Image{MediaType: readers.Text(v, "fileData", "mimeType")})
		return append(texts, readers.Text(v, "fileData", "fileUri"))
	default:
		c.unknownPart(v, kind)
	}
	return texts
}

// unknownPart counts a part of unknown kind by its first key.
func (c *chat) unknownPart(v *fastjson.Value, kind string) {
	name := "(none)"
	if o := v.GetObject(); o != nil {
		o.Visit(func(key []byte, _ *fastjson.Value) {
			if name == "(none)" {
				name = string(key)
			}
		})
	}
	if name != "(none)" {
		c.kinds.Count(kind+" content/"+name, false, "", c.facts.start)
	}
}
