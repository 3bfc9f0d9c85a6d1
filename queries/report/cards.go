package report

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

// cardParts lists the parts of a card for which a section names columns.
var cardParts = []string{"diff", "command", "file", "said"}

// Limits for the cards and conversations of a section, and the default number of
// messages around the message that a row names.
const (
	shownCards    = 20
	shownSessions = 5
	defaultAround = 3
)

// cards returns the section's rows as cards (boxes with a diff or command and a text).
// Columns without a place on the card go into its head.
func (p *Part) cards() (all []html.Card) {
	for _, row := range p.Rows[:min(len(p.Rows), shownCards)] {
		var c html.Card
		for i, column := range p.Columns {
			text := html.Value(row[i], column)
			part := ""
			for name, of := range p.Cards {
				if strings.EqualFold(of, column.Name) {
					part = name
				}
			}
			switch {
			case part == "diff":
				c.Diff = text
			case part == "command":
				c.Command = text
			case part == "file":
				c.File = words.Line(text, mostInCell)
			case part == "said":
				c.Said, _ = words.CutCounted(text, mostOnCard, words.Letters)
			case text != "" && !p.isHidden(column.Name):
				c.Head = append(c.Head, words.Line(text, mostInCell))
			}
		}
		all = append(all, c)
	}
	return all
}

// markdownCards writes cards as Markdown, with the diff or command as a block of code.
func markdownCards(w *bufio.Writer, all []html.Card) {
	for _, c := range all {
		head := strings.Join(c.Head, " · ")
		if c.File != "" {
			head += " " + c.File
		}
		fmt.Fprintf(w, "\n**%s**\n", markdown(strings.TrimSpace(head)))
		if c.Diff != "" {
			fencedBlock(w, "diff", c.Diff)
		} else if c.Command != "" {
			fencedBlock(w, "sh", c.Command)
		}
		if c.Said != "" {
			fmt.Fprintf(w, "\n> %s\n", markdown(c.Said))
		}
	}
}

// fencedBlock writes a block of code with a fence longer than any fence in the text.
func fencedBlock(w *bufio.Writer, language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(w, "\n%s%s\n%s\n%s\n", fence, language, strings.TrimRight(text, "\n"), fence)
}

// readSessions reads the sessions named by the rows, around the named messages.
func (p *Part) readSessions(ctx context.Context, around int, run queries.Run) error {
	at := slices.IndexFunc(p.Columns, func(c result.Column) bool { return c.Name == "session" })
	if at < 0 {
		return fmt.Errorf("show = session needs a column session, with ids, or ids and messages as ID:INDEX")
	}
	var ids []string // without duplicates
	for _, row := range p.Rows {
		reference := html.Value(row[at], p.Columns[at])
		if reference == "" || slices.Contains(ids, reference) || len(ids) == shownSessions {
			continue
		}
		ids = append(ids, reference)
		id, message := conversation.Split(reference)
		found, err := conversation.Find(ctx, conversation.Run(run), "", id)
		if err != nil {
			return err
		}
		c, err := conversation.Read(ctx, conversation.Run(run), found.Agent, found.ID)
		if err != nil {
			return err
		}
		if message >= 0 {
			c = c.AboutMessage(message, around)
		}
		p.Sessions = append(p.Sessions, c)
	}
	return nil
}

// conversationRows returns a conversation as rows for people.
func conversationRows(c *conversation.Conversation) *result.Set {
	set := &result.Set{Columns: result.Columns("time TIMESTAMPTZ", "who VARCHAR", "what VARCHAR", "refused VARCHAR")}
	for _, p := range c.Pieces {
		what, refused := strings.TrimPrefix(p.What+": "+p.Text, ": "), any(nil)
		if p.Kind == conversation.LeftOut || p.Kind == conversation.Copied {
			what = fmt.Sprintf("%d messages %s", p.Count, words.Spaced(string(p.Kind)))
		}
		if call := p.Call; call != nil {
			what = call.Tool + " " + call.About
			if call.Refusal != nil {
				refused = strings.TrimSuffix(call.Refusal.By+": "+call.Refusal.Reason, ": ")
			}
		}
		var at any
		if !p.Time.IsZero() {
			at = p.Time
		}
		set.Rows = append(set.Rows, []any{at, p.Who, words.Cut(what, mostInTalk), refused})
	}
	return set
}

// mostInTalk is the number of letters of a text in a conversation.
const mostInTalk = 400

// cutTextsNote says how to read a conversation with cut texts; empty if none is cut.
func cutTextsNote(c *conversation.Conversation) string {
	for _, row := range conversationRows(c).Rows {
		if text, _ := row[2].(string); words.Letters(text, mostInTalk-1) < len(text) && strings.HasSuffix(text, "…") {
			return "Texts with … are cut; hindsql show " + c.ID[:min(len(c.ID), shownID)] + " has them whole."
		}
	}
	return ""
}

// heading returns a session's heading.
func heading(c *conversation.Conversation) string {
	return strings.TrimPrefix(c.About+" · "+c.ID[:min(len(c.ID), 8)], " · ")
}

// parseCards reads the keys for cards and conversations.
func (p *parser) parseCards(n int, w sectionFile, s *Section) {
	for part := range w.Cards {
		if !slices.Contains(cardParts, part) {
			p.fail(p.lineOf(n, "cards"), "cards: %q is no part of a card; the parts are %s", part, strings.Join(cardParts, ", "))
		}
	}
	switch s.Cards, s.Around = w.Cards, defaultAround; {
	case w.Cards != nil && s.Show != Diff:
		p.fail(p.lineOf(n, "cards"), `cards are of a section with show = "diff"`)
	case s.Show == Diff && w.Cards["diff"] == "" && w.Cards["command"] == "":
		p.fail(p.lineOf(n, "show"), `show = "diff" needs to know a column: cards = { diff = "proposed_diff" }, or command`)
	case w.Around != nil && s.Show != Talk:
		p.fail(p.lineOf(n, "around"), `around is of a section with show = "session"`)
	case w.Around != nil && *w.Around < 0:
		p.fail(p.lineOf(n, "around"), "around is a number of messages, 0 or more")
	case w.Around != nil:
		s.Around = *w.Around
	}
}
