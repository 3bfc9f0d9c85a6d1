package mcp

import (
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/tables"
)

// listed are the resources that the protocol's side lists: each table, and each
// saved query that is there when somebody asks.
type listed struct {
	mutex sync.Mutex
	names map[string]string // what is listed, by its address: its title
}

// refresh adds what is new, and removes what is gone.
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
	all, _ := s.Source.Queries() // those that can't be read aren't listed; describe says why
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
