package tables

import "strings"

// JoinText puts a paragraph between two texts, one of which may be empty. Of
// many texts in turn, which would be copied each time, see [Paragraphs].
func JoinText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// Paragraphs is room for a text to grow in: what comes of a thousand parts is
// not copied a thousand times. The zero Paragraphs are empty.
type Paragraphs struct{ room strings.Builder }

// Join is [JoinText], of a text that came from Join, or another one.
func (p *Paragraphs) Join(text, more string) string {
	if text == "" || more == "" {
		return text + more
	}
	if p.room.String() != text { // one and the same text is not compared
		p.room.Reset()
		p.room.Grow(len(text) + 2 + len(more))
		p.room.WriteString(text)
	}
	p.room.WriteString("\n\n")
	p.room.WriteString(more)
	return p.room.String()
}

// growing are the texts of a message that comes in several parts.
type growing struct{ text, thinking Paragraphs }

// AddText adds a paragraph to the message's text.
func (m *Message) AddText(more string) {
	m.Text = m.grows().text.Join(m.Text, more)
}

// AddThinking adds a paragraph to the message's thinking.
func (m *Message) AddThinking(more string) {
	m.Thinking = m.grows().thinking.Join(m.Thinking, more)
}

func (m *Message) grows() *growing {
	if m.growing == nil {
		m.growing = &growing{}
	}
	return m.growing
}
