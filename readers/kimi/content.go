package kimi

import (
	"bytes"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// content holds the parts of a message, a step or a result.
type content struct {
	texts    []string
	thinking []string
	images   []readers.Image
	extra    readers.Extra
}

func (c *content) text() string { return strings.Join(c.texts, "\n\n") }

// imageOf describes an image: a data URL, or a reference to another file.
func imageOf(p *fastjson.Value, kind string) readers.Image {
	url := p.GetStringBytes("imageUrl", "url")
	if kind != "image_url" {
		url = p.GetStringBytes(strings.TrimSuffix(kind, "_url")+"Url", "url")
	}
	const mark = ";base64,"
	at := bytes.Index(url[:min(len(url), 100)], []byte(mark))
	if at < 0 || !bytes.HasPrefix(url, []byte("data:")) {
		return readers.Image{MediaType: strings.TrimSuffix(kind, "_url")}
	}
	return readers.ImageOf(string(url[len("data:"):at]), url[at+len(mark):])
}

// content reads a text, or a list of parts.
func (t *talk) content(v *fastjson.Value) (c content) {
	if v == nil {
		return c
	}
	if v.Type() == fastjson.TypeString {
		c.texts = []string{readers.Text(v)}
		return c
	}
	for _, p := range v.GetArray() {
		t.part(&c, p)
	}
	return c
}

// part adds a part: a text, thinking or an image, which may lie in another file
// (FORMAT.md §4).
func (t *talk) part(c *content, p *fastjson.Value) {
	switch kind := string(p.GetStringBytes("type")); kind {
	case "text":
		c.texts = append(c.texts, readers.Text(p, "text"))
	case "think":
		if text := readers.Text(p, "think"); text != "" {
			c.thinking = append(c.thinking, text)
		}
	case "image_url", "video_url", "audio_url":
		c.images = append(c.images, imageOf(p, kind))
		c.extra.Set("images", c.images)
	default:
		t.kinds.Count("part content/"+kind, false, "", t.at)
	}
}
