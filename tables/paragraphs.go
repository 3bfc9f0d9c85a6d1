package tables

import "strings"

// JoinText joins two texts with an empty line. If either text is empty, JoinText
// returns the other. To join many texts without copying them each time, use
// [Paragraphs].
func JoinText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// Paragraphs is a buffer for a growing text, to avoid copying a thousand parts a
// thousand times. The zero Paragraphs is empty.
type Paragraphs struct{ room strings.Builder }

// Join works as [JoinText]. The first text may be Join's last result or any text.
func (p *Paragraphs) Join(text, more string) string {
	if text == "" || more == "" {
		return text + more
	}
	if p.room.String() != text { // comparing a string with itself is free
		p.room.Reset()
		p.room.Grow(len(text) + 2 + len(more))
		p.room.WriteString(text)
	}
	p.room.WriteString("\n\n")
	p.room.WriteString(more)
	return p.room.String()
}

// growing holds the texts of a message that comes in several parts.
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
