package mcp

import (
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/tables"
)

// listed holds the resources in the SDK's list: each table, and each saved query that
// existed at the last list request.
type listed struct {
	mutex sync.Mutex
	names map[string]string // titles of the listed resources, by address
}

// refresh adds the resources that are new since the last call, and removes those that
// no longer exist.
func (l *listed) refresh(s *Server) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	now := map[string]string{}
	add := func(kind, name, title string, read sdk.ResourceHandler) {
		uri := locator{kind: kind, name: name}.uri()
		if now[uri] = title; l.names[uri] != title || l.names == nil {
			s.sdk.AddResource(&sdk.Resource{URI: uri, Name: name, Title: title, MIMEType: markdown}, read)
		}
	}
	for _, t := range tables.Shown() {
		add(tablesKind, t.Name, sentence(t.Doc), s.reader(tableText))
	}
	all, _ := s.Source.Queries() // unreadable queries aren't listed; describe reports them
	for _, q := range all {
		add(queriesKind, q.Name, q.Title, s.reader(queryText))
	}
	for uri := range l.names {
		if _, still := now[uri]; !still {
			s.sdk.RemoveResources(uri)
		}
	}
	l.names = now
}
