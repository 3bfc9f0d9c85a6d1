package pilines

import (
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// user handles a prompt or a command, or what OpenClaw itself put in a person's place.
func (c *claw) user(e *entry, v *fastjson.Value) {
	l := c.log
	body := l.content(v.Get("content"), "user")
	m := &tables.Message{Role: tables.RoleUser, Kind: tables.KindPrompt, Text: body.text()}
	own := v.Get("__openclaw")
	body.extra.Flag("steering", readers.Text(own, "steerTargetRunId") != "")
	body.extra.Text("channel", readers.Text(own, "transport", "channel"))
	body.extra.Text("source_tool", readers.Text(v, "provenance", "sourceTool"))
	attach(&body, v.GetArray("media"))
	from := readers.Text(v, "provenance", "kind")
	switch {
	case l.agent:
		m.Kind = tables.KindInjected
	case from == "internal_system":
		m.Kind, m.BeginsTurn = tables.KindInjected, true
	default:
		m.TypedBy = typedBy(v.GetArray("__openclaw", "transport", "clients"), from)
		if readers.IsCommand(m.Text) {
			m.Kind = tables.KindCommand
			c.asked(e, m.Text)
		}
	}
	if readers.Text(v, "provenance", "sourceTool") == "main_session_restart_recovery" {
		c.crashed(e, m.Text)
	}
	l.say(e, m, body)
	if m.Kind == tables.KindCommand {
		c.command = e
	}
}

// crashed emits the stop that a prompt after a crash of the gateway tells. The stop came
// before the prompt, which begins another turn.
func (c *claw) crashed(e *entry, text string) {
	marker, _, _ := strings.Cut(text, ". ")
	c.cut(&tables.Interruption{
		Type: tables.InterruptedBySystem, Phase: tables.PhaseResponse, CutNothing: true, Marker: marker,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
	}, tables.PhaseTool, e.turn, func(*call) time.Time { return time.Time{} }) // nothing tells when the gateway fell
}

// people lists OpenClaw's clients that persons type in.
var people = readers.SetOf(`openclaw-tui openclaw-control-ui`)

// typedBy returns a prompt's Message.TypedBy, from the sending client or, without a client,
// from the sender's kind. A person wrote a channel's message.
func typedBy(clients []*fastjson.Value, kind string) string {
	for _, client := range clients {
		switch id, mode := readers.Text(client, "id"), readers.Text(client, "mode"); {
		case people[id], mode == "ui", mode == "webchat", mode == "cli":
			return ""
		case id == "gateway-client", mode == "backend":
			return tables.TypedBySDK
		default:
			return id
		}
	}
	if kind == "external_user" {
		return ""
	}
	return kind
}

// attach notes the files of a prompt, which OpenClaw keeps elsewhere.
func attach(body *content, media []*fastjson.Value) {
	var list []map[string]any
	for _, file := range media {
		one := map[string]any{}
		for key, field := range map[string]string{"media_type": "contentType", "url": "url"} {
			if text := readers.Text(file, field); text != "" && !strings.HasPrefix(text, "data:") {
				one[key] = text
			}
		}
		if size := readers.Int(file, "sizeBytes"); size.OK {
			one["bytes"] = size.Value
		}
		list = append(list, one)
	}
	if len(list) > 0 {
		body.extra.Set("attachments", list)
	}
}
