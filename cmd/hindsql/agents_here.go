package main

import (
	"strings"

	"hindsql/readers"
)

// agentsHere are the readers of the agents that are named; without a name, of
// those that are used on this machine, and that also says are, unless it is nil.
// The error of none says what was looked for; command is the one to name an agent
// to.
func agentsHere(w *world, from *where, command string, named []string, also func(*readers.Reader) bool) (list []*readers.Reader, err error) {
	if len(named) > 0 {
		return readersOf(w, named)
	}
	roots, err := rootsByAgent(w, from)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, r := range w.readers {
		switch places := r.Places(w.host(), roots[r.Agent]); {
		case r.IsHere(w.host(), roots[r.Agent]), also != nil && also(r):
			list = append(list, r)
		case len(places) > 0:
			missing = append(missing, r.Agent+" ("+w.short(places[0].Path)+")")
		}
	}
	if list == nil {
		return nil, usagef("%s: no agent is found here, none of these folders is there: %s; --agent NAME is for one all the same", command, strings.Join(missing, ", "))
	}
	return list, nil
}
