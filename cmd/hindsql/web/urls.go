package web

import (
	"fmt"
	"net/url"
)

// sessionURL returns the URL of a session, or of a message on the session's right page.
// A message of -1 means the session alone.
func sessionURL(agent, id string, message int64) string {
	path := "/session/" + url.PathEscape(agent) + "/" + url.PathEscape(id)
	if message < 0 {
		return path
	}
	return fmt.Sprintf("%s?from=%d#m%d", path, message-message%pageOfMessages, message)
}

// pageOfMessages is the number of a session's messages on a page.
const pageOfMessages = 200

// refusalURL returns the URL of a refused call.
func refusalURL(agent, session, toolUse string) string {
	return "/refusal/" + url.PathEscape(agent) + "/" + url.PathEscape(session) + "/" + url.PathEscape(toolUse)
}
