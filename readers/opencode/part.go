package opencode

import (
	"math"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// partKinds maps a part's type to the method that reads the part. Parts about snapshots
// of the files become no rows.
var partKinds = map[string]func(*session, *entry, *storedPart, *fastjson.Value){
	"text":        (*session).textPart,
	"reasoning":   (*session).reasoningPart,
	"tool":        (*session).toolPart,
	"file":        (*session).filePart,
	"agent":       (*session).agentPart,
	"subtask":     (*session).subtaskPart,
	"compaction":  (*session).compactionPart,
	"patch":       (*session).patchPart,
	"retry":       (*session).retryPart,
	"step-start":  nil,
	"step-finish": (*session).stepPart,
	"snapshot":    nil,
}

// readPart reads a part of a message.
func (c *session) readPart(e *entry, p *storedPart, v *fastjson.Value) {
	kind := c.words.Intern(v.GetStringBytes("type"))
	read, known := partKinds[kind]
	c.kinds.Record(v, "content/"+kind, known, c.version, e.Timestamp)
	if read == nil {
		return
	}
	switch kind {
	case "text", "reasoning", "tool":
		e.endsInCall = kind == "tool"
	}
	read(c, e, p, v)
}

// textPart adds a text. The field synthetic marks a text by opencode itself; ignored
// marks a text that only the user sees.
func (c *session) textPart(e *entry, _ *storedPart, v *fastjson.Value) {
	text := readers.Text(v, "text")
	switch {
	case text == "":
	case e.role == "user" && (readers.Bool(v, "synthetic") || readers.Bool(v, "ignored")):
		e.injected = append(e.injected, text)
	default:
		e.texts = append(e.texts, text)
	}
}

func (c *session) reasoningPart(e *entry, _ *storedPart, v *fastjson.Value) {
	if text := readers.Text(v, "text"); text != "" {
		e.thinking = append(e.thinking, text)
	}
}

// filePart adds an attached file without its content.
func (c *session) filePart(e *entry, _ *storedPart, v *fastjson.Value) {
	e.hasFiles = true
	e.addToList("attachments", attachment(v))
}

// attachment describes a file by name and URL, or embedded data by its size.
func attachment(v *fastjson.Value) map[string]any {
	file := map[string]any{}
	if mime := readers.Text(v, "mime"); mime != "" {
		file["media_type"] = mime
	}
	if name := readers.Text(v, "filename"); name != "" {
		file["name"] = name
	}
	url := v.GetStringBytes("url")
	if _, data, found := strings.Cut(string(url[:min(len(url), 200)]), ";base64,"); found {
		head := min(len(url), 200) - len(data)
		file["bytes"] = readers.ImageOf("", url[head:]).Bytes
	} else if len(url) > 0 && len(url) < 4096 && !strings.HasPrefix(string(url), "data:") {
		file["url"] = string(url)
	}
	return file
}

func (c *session) agentPart(e *entry, _ *storedPart, v *fastjson.Value) {
	e.hasFiles = true
	e.addToList("agents", readers.Text(v, "name"))
}

// stepPart adds the tokens and the cost of a step. The sum is used only if the message
// has no totals of its own.
func (c *session) stepPart(e *entry, _ *storedPart, v *fastjson.Value) {
	if cost := v.GetFloat64("cost"); cost > 0 && cost < math.MaxInt32 {
		e.steps.cost += cost
	}
	if tokens := v.Get("tokens"); tokens != nil && tokens.Type() == fastjson.TypeObject {
		e.steps.add(readCounts(tokens))
	}
}

func (c *session) subtaskPart(e *entry, _ *storedPart, v *fastjson.Value) {
	e.subtask = &subtask{readers.Text(v, "command"), readers.Text(v, "prompt")}
	e.extra.Set("subtask_agent", readers.Text(v, "agent"))
	e.extra.Set("subtask_description", readers.Text(v, "description"))
}

func (c *session) compactionPart(e *entry, _ *storedPart, v *fastjson.Value) {
	e.compaction = &compaction{readers.Bool(v, "auto"), readers.Text(v, "tail_start_id")}
}

// patchPart adds the files that the message's calls changed.
func (c *session) patchPart(e *entry, _ *storedPart, v *fastjson.Value) {
	for _, file := range v.GetArray("files") {
		if file.Type() == fastjson.TypeString {
			e.addToList("changed_files", readers.Text(file))
		}
	}
}

// retryPart adds an error after which the program asked the model again.
func (c *session) retryPart(e *entry, _ *storedPart, v *fastjson.Value) {
	e.addToList("retries", readers.Text(v, "error", "data", "message"))
}
