package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// wholeURL returns the URL of a whole text that pages show in part.
func wholeURL(agent, session, id, part string) string {
	return "/text/" + url.PathEscape(agent) + "/" + url.PathEscape(session) + "/" + url.PathEscape(id) + "/" + part
}

// texts maps the parts of a call or a message to the queries that return the whole
// text. $id is the id of a call, or the index of a message.
var texts = map[string]string{
	"input":    "SELECT CAST(input AS VARCHAR) FROM tool_calls WHERE agent = $agent AND session_id = $session AND tool_use_id = $id",
	"output":   "SELECT output FROM tool_calls WHERE agent = $agent AND session_id = $session AND tool_use_id = $id",
	"diff":     "SELECT proposed_diff FROM rejections WHERE agent = $agent AND session_id = $session AND tool_use_id = $id",
	"message":  "SELECT text FROM messages WHERE agent = $agent AND session_id = $session AND message_index = $id",
	"thinking": "SELECT thinking FROM messages WHERE agent = $agent AND session_id = $session AND message_index = $id",
}

// sendText sends a whole text as the log has it, never as HTML.
func sendText(w http.ResponseWriter, q *request) (*view, error) {
	text, err := wholeText(q, q.PathValue("agent"), q.PathValue("session"), q.PathValue("id"), q.PathValue("part"))
	if err != nil {
		return nil, err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = strings.NewReader(text).WriteTo(w)
	return nil, nil
}

func wholeText(q *request, agent, session, id, part string) (string, error) {
	nothing := notFound(fmt.Sprintf("There is no %s of %s in session %s.", part, id, session))
	sql, ok := texts[part]
	if !ok {
		return "", notFound("The parts of a call are input, output and diff; those of a message are message and thinking.")
	}
	args := map[string]any{"agent": agent, "session": session, "id": id}
	if part == "message" || part == "thinking" {
		index, err := strconv.ParseInt(strings.TrimPrefix(id, "m"), 10, 64)
		if err != nil {
			return "", nothing
		}
		args["id"] = index
	}
	set, err := q.run(q.Context(), sql, args)
	if err != nil {
		return "", err
	}
	for _, row := range set.Rows {
		if text, ok := row[0].(string); ok {
			return text, nil
		}
	}
	return "", nothing
}
