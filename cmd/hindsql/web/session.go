package web

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"hindsql/internal/atomicfile"
	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

// sessionPage is the data of a session's page, with some of the session's messages.
type sessionPage struct {
	*conversation.Window
	Agent, ID string
	Facts     []fact
	Strip     strip
	Pages     []pageLink
	Find      *found // nil without a search
	Body      template.HTML
}

// fact is a property of a session.
type fact struct{ Name, Value, URL string }

// showSession returns a page of a session. ?from is the first message; ?find is a text
// to mark.
func showSession(q *request) (*view, error) {
	agent, id := q.PathValue("agent"), q.PathValue("id")
	from, err := parseMessageIndex(q.get("from"))
	if err != nil {
		return nil, err
	}
	w, err := conversation.ReadWindow(q.Context(), q.runNameless, agent, id, from, pageOfMessages)
	if errors.As(err, new(*conversation.Unclear)) {
		return nil, notFound("There is no session " + id + " of " + agent + ".")
	}
	if err != nil {
		return nil, err
	}
	names, err := q.names(q.Context())
	if err != nil {
		return nil, err
	}
	w.ProjectName = cmp.Or(names[w.Project], w.Project)
	marks, err := conversation.Outline(q.Context(), q.run, agent, id)
	if err != nil {
		return nil, err
	}
	p := &sessionPage{Window: w, Agent: agent, ID: id, Facts: factsOf(q.server.Home, w.Conversation), Strip: stripOf(w, marks), Pages: pageLinks(w, q.get("find"))}
	if text := q.get("find"); text != "" {
		if p.Find, err = find(q, w, text); err != nil {
			return nil, err
		}
	}
	links := linksFrom(q.server.Home)
	links.Find = q.get("find")
	links.Inside = func(agent, id string) *conversation.Conversation { return firstMessages(q, agent, id) }
	p.Body = html.Conversation(w.Conversation, links)
	return &view{Title: printable.Line(cmp.Or(w.About, "Session "+id)), Template: "session", Nav: "/sessions", Live: !w.HasAfter(), Data: p}, nil
}

// parseMessageIndex reads a number from a URL; 0 if the text is empty.
func parseMessageIndex(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, wrong(fmt.Sprintf("from=%s: the number of a message is a whole number, 0 or more.", printable.Line(text)))
	}
	return n, nil
}

// linksFrom returns the links of a conversation's pieces. Pages show the home folder as
// ~.
func linksFrom(home string) html.Links {
	return html.Links{Session: sessionURL, Whole: fullTextURL, Path: func(name string) string { return pathFrom(home, name) }}
}

// pathFrom returns a path for people, with ~ for the home folder.
func pathFrom(home, name string) string {
	if name == home && name != "" {
		return "~"
	}
	return atomicfile.Short(home, name)
}

// insideMessages is the number of first messages shown of a session that a call
// started, on the page of the calling session.
const insideMessages = 40

// firstMessages returns the first messages of a session that a call started; nil if the
// session can't be read.
func firstMessages(q *request, agent, id string) *conversation.Conversation {
	w, err := conversation.ReadWindow(q.Context(), q.runNameless, agent, id, 0, insideMessages)
	if err != nil {
		return nil
	}
	return w.Conversation
}

// factsOf returns the facts of a session, except its subject.
func factsOf(home string, c *conversation.Conversation) (list []fact) {
	add := func(name, value, link string) {
		if value != "" {
			list = append(list, fact{name, printable.Line(value), link})
		}
	}
	add("Agent", c.Agent, "")
	add("Project", c.ProjectName, "/sessions?project="+url.QueryEscape(c.Project))
	add("Folder", pathFrom(home, c.Project), "")
	add("Branch", c.Branch, "")
	add("Model", c.Model, "")
	add("From", clock(c.StartedAt), "")
	add("To", clock(c.EndedAt), "")
	add("Prompts", words.Int(c.Prompts), "")
	if c.Refused > 0 {
		add("Refused", words.Int(c.Refused), "")
	}
	if c.Tokens > 0 {
		add("Tokens", words.Int(c.Tokens), "")
	}
	if c.CostUSD != nil {
		add("Cost", fmt.Sprintf("$%.2f", *c.CostUSD), "")
	}
	if c.Kind != "main" {
		add("Kind", words.Spaced(c.Kind), "")
	}
	if c.Parent != "" {
		add("Started by", c.Parent[:min(len(c.Parent), 8)], sessionURL(c.Agent, c.Parent, -1))
	}
	if c.ForkedFrom != "" {
		add("Forked from", c.ForkedFrom[:min(len(c.ForkedFrom), 8)], sessionURL(c.Agent, c.ForkedFrom, -1))
	}
	add("Session", c.ID, "")
	return list
}

// pageLink is a link to another page of the session.
type pageLink struct {
	Name, Rel, URL string // URL is empty if the page doesn't exist
}

func pageLinks(w *conversation.Window, find string) []pageLink {
	at := func(from int64, there bool) string {
		if !there {
			return ""
		}
		return pageURL(w.Agent, w.ID, from, find, -1)
	}
	last := max(w.First, w.Last-w.Last%pageOfMessages)
	return []pageLink{
		{"First", "", at(w.First, w.HasBefore())}, {"Previous", "prev", at(max(w.First, w.From-pageOfMessages), w.HasBefore())},
		{"Next", "next", at(w.To, w.HasAfter())}, {"Last", "", at(last, w.HasAfter())},
	}
}

// pageURL returns the URL of a session's page, with a text to find and a hit to jump
// to. A hit of -1 means none.
func pageURL(agent, id string, from int64, find string, hit int64) string {
	query := url.Values{"from": {fmt.Sprint(from)}}
	if find != "" {
		query.Set("find", find)
	}
	address := sessionURL(agent, id, -1) + "?" + query.Encode()
	if hit >= 0 {
		address += fmt.Sprintf("#m%d", hit)
	}
	return address
}

// found holds the messages that contain a text.
type found struct {
	Text       string
	Hits       []hit
	More       int // number of unlisted hits
	Before     string
	After      string
	OnThisPage int
}

// hit is a message that contains the text.
type hit struct {
	Index int64
	URL   string
	Here  bool // the hit is on this page
}

// mostHits is the most hits that a page lists.
const mostHits = 300

func find(q *request, w *conversation.Window, text string) (*found, error) {
	messages, err := conversation.FindIn(q.Context(), q.run, w.Agent, w.ID, text)
	if err != nil {
		return nil, err
	}
	f := &found{Text: text}
	address := func(m int64) string { return pageURL(w.Agent, w.ID, m-m%pageOfMessages, text, m) }
	for _, m := range messages {
		h := hit{m, address(m), m >= w.From && m < w.To}
		switch {
		case h.Here:
			f.OnThisPage++
		case m < w.From:
			f.Before = h.URL
		case f.After == "":
			f.After = h.URL
		}
		f.Hits = append(f.Hits, h)
	}
	if len(f.Hits) > mostHits {
		from := max(0, slices.IndexFunc(f.Hits, func(h hit) bool { return h.Here }))
		from = min(from, len(f.Hits)-mostHits)
		f.More = len(f.Hits) - mostHits
		f.Hits = f.Hits[from : from+mostHits]
	}
	return f, nil
}

// Count returns the number of messages with the text.
func (f *found) Count() int { return len(f.Hits) + f.More }

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

// redirectToSession redirects to the session with an id, or with a unique beginning of an
// id. If several sessions match, the page lists them.
func redirectToSession(w http.ResponseWriter, q *request) (*view, error) {
	id, message := conversation.Split(q.PathValue("reference"))
	found, err := conversation.Find(q.Context(), q.run, "", id)
	var unclear *conversation.Unclear
	switch {
	case err == nil:
		http.Redirect(w, q.Request, sessionURL(found.Agent, found.ID, message), http.StatusSeeOther)
		return nil, nil
	case errors.As(err, &unclear) && unclear.Count > 0:
		return &view{Title: "Which session?", Template: "which", Data: unclear, Status: http.StatusMultipleChoices}, nil
	case errors.As(err, &unclear):
		return nil, notFound("No session has an id that begins with " + id + ".")
	}
	return nil, err
}
