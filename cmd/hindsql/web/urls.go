package web

import (
	"fmt"
	"net/url"
)

// sessionURL leads to a session, and to one of its messages where that is known;
// -1 is none. The page is the one that begins there.
func sessionURL(agent, id string, message int64) string {
	path := "/session/" + url.PathEscape(agent) + "/" + url.PathEscape(id)
	if message < 0 {
		return path
	}
	return fmt.Sprintf("%s?from=%d#m%d", path, message-message%pageOfMessages, message)
}

// pageOfMessages is how many messages of a session a page has.
const pageOfMessages = 200

// refusalURL leads to a refused call.
func refusalURL(agent, session, toolUse string) string {
	return "/refusal/" + url.PathEscape(agent) + "/" + url.PathEscape(session) + "/" + url.PathEscape(toolUse)
}
