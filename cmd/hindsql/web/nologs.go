package web

import (
	"slices"

	"hindsql/internal/atomicfile"
)

// noLogs is the data of the first page while the store is empty.
type noLogs struct {
	Agents  []looked
	Trouble string // why some folders could not be searched; empty if all were
}

// looked lists the searched folders of an agent.
type looked struct {
	Agent   string
	Folders []lookedIn
}

type lookedIn struct {
	Path  string
	State string // why the folder has no rows
}

// showNoLogs returns the first page of a store without logs: where logs were searched,
// and what to do.
func showNoLogs(q *request) *view {
	places, err := q.server.Source.Store().Places()
	var p noLogs
	if err != nil {
		p.Trouble = phrases.Explain(err)
	}
	for _, place := range places {
		in := lookedIn{Path: atomicfile.Short(q.server.Home, place.Path), State: "no logs in it"}
		switch {
		case place.Silent != nil:
			in.State = "its disk gives no answer"
		case !place.Exists:
			in.State = "missing"
		case place.Files > 0:
			in.State = "its logs are not loaded yet"
		}
		at := slices.IndexFunc(p.Agents, func(l looked) bool { return l.Agent == place.Title })
		if at < 0 {
			at, p.Agents = len(p.Agents), append(p.Agents, looked{Agent: place.Title})
		}
		p.Agents[at].Folders = append(p.Agents[at].Folders, in)
	}
	return &view{Title: "No logs found", Template: "nologs", Nav: "/", Live: true, Data: p}
}
