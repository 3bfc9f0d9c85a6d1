package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

//go:embed script.json
var scriptText []byte

// An answer is one response of the mock model.
type answer struct {
	Text  string `json:"text"`
	Run   string `json:"run"`   // shell command that the answer runs; empty for an answer of text only
	Words int    `json:"words"` // number of words added to Text, Word1 first
	Slow  int    `json:"slow"`  // milliseconds between two words
	Input int    `json:"input"` // input tokens that the answer reports; 0 means usualInput
}

// A script maps the beginning of a prompt to the answers of its turn.
type script map[string][]answer

// usualInput is the number of input tokens of an answer.
const usualInput = 1000

// summary answers requests for a summary. Gemini CLI wants the summary between tags. Grok
// Build takes no summary of some 100 characters.
var summary = answer{Input: 5000, Text: `<state_snapshot>
## Goal
Build the small project in this folder: a shop with a price, and a Makefile with one target.

## Progress
The topics were named, one after the other. The first topic was about the price in shop.js. The second topic was about the folder build,
which make writes. No file was changed, no command was run, and no question is open. The person asked for names of topics only, and got them.

## Decisions
The price stays as it is. The folder build isn't deleted by hand: make clean does that. Words are counted from one to sixty.

## Next steps
Go on with the third topic, and name it as the first two were named.
</state_snapshot>`}

// small answers requests for a title: requests with a prompt of the script, but without
// tools.
var small = answer{Text: "Small talk"}

func newScript(text []byte) (script, error) {
	var s script
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	return s, nil
}

// A turn is an entry of a request's conversation.
type turn struct {
	who  string // user, assistant or result
	text string
}

// A request holds the fields common to the requests of the four APIs.
type request struct {
	turns  []turn
	tools  []string // names of offered tools
	stream bool
	json   bool // the answer has to be a JSON object
}

// add appends a turn. Neighbouring entries of the model make a single turn, because the
// responses API has separate entries for a message and each call.
func (r *request) add(who, text string) {
	if n := len(r.turns); n > 0 && who == "assistant" && r.turns[n-1].who == who {
		return
	}
	r.turns = append(r.turns, turn{who, text})
}

var (
	asksSummary = regexp.MustCompile(`(?i)summar|compact|state_snapshot`)
	frame       = regexp.MustCompile(`^(\s*\[[^\]]*\]\s*)+`) // [a time] before a prompt
)

// choose returns the answer to a request. The nth answer of a prompt follows n turns
// of the model, so the mock keeps no state, and a repeated request gets the same answer.
// Agents put notes of their own before and behind a prompt.
func (s script) choose(r *request) answer {
	after, asked := 0, false
	for _, t := range slices.Backward(r.turns) {
		switch {
		case t.who == "assistant" && asked:
			return summary
		case t.who == "assistant":
			after++
		case t.who == "user":
			if answers := s.match(t.text); answers != nil {
				return s.nth(answers, after, r)
			}
			asked = asked || after == 0 && asksSummary.MatchString(t.text)
		}
	}
	if asked {
		return summary
	}
	return answer{Text: "Fine."}
}

func (s script) nth(answers []answer, n int, r *request) answer {
	if len(r.tools) == 0 {
		return small
	}
	if n >= len(answers) {
		return answer{Text: "All done."}
	}
	a := answers[n]
	for i := range a.Words {
		a.Text += fmt.Sprintf(" Word%d", i+1)
	}
	return a
}

// match returns the answers of the last line of a text that begins with a prompt of
// the script: after a refusal, a text may hold two prompts.
func (s script) match(text string) []answer {
	for _, line := range slices.Backward(strings.Split(text, "\n")) {
		line = strings.TrimSpace(frame.ReplaceAllString(line, ""))
		for prompt, answers := range s {
			if strings.HasPrefix(line, prompt) {
				return answers
			}
		}
	}
	return nil
}

// words calls yield for each word of the answer's text, with its white space, as
// slowly as the answer says.
func (a answer) words(yield func(string) bool) {
	for _, word := range strings.SplitAfter(a.Text, " ") {
		if word != "" && !yield(word) {
			return
		}
		time.Sleep(time.Duration(a.Slow) * time.Millisecond)
	}
}

func (a answer) input() int {
	if a.Input == 0 {
		return usualInput
	}
	return a.Input
}
