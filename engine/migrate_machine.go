package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Before machines had ids, the name of the machine stood in its place, in the ids
// of sources too. What lies on this machine's name is its own: its rows get its
// id. Another machine's name stays what that one is known by.

// renew makes the table of an old store's sources and the ids that they have now,
// where that store knows no machines.
func (c *carrier) renew(ctx context.Context, o *oldStore) error {
	had, err := c.columns(ctx, o.schema, "sources")
	if err != nil || had["machine"] || !had["path"] || !had["host"] {
		return err
	}
	rows, err := c.renewed(ctx, *o, had["part"])
	if err != nil {
		return err
	}
	o.renews = true
	err = c.l.exec(ctx, "CREATE OR REPLACE TEMP TABLE renewed (was_id BIGINT, renewed_id BIGINT, renewed_machine VARCHAR, renewed_user VARCHAR, renewed_host VARCHAR)")
	for some := range slices.Chunk(rows, 1000) {
		if err == nil {
			err = c.l.exec(ctx, "INSERT INTO temp.main.renewed VALUES "+strings.Join(some, ", "))
		}
	}
	return err
}

// renewed gives the rows of that table, as SQL.
func (c *carrier) renewed(ctx context.Context, o oldStore, hasParts bool) (rows []string, err error) {
	part := "''"
	if hasParts {
		part = "coalesce(part, '')"
	}
	found, err := c.l.conn.QueryContext(ctx, fmt.Sprintf("SELECT source_id, %s, coalesce(agent, ''), coalesce(path, ''), %s, coalesce(host, '') FROM old.%s.sources", o.id, part, o.schema))
	if err != nil {
		return nil, err
	}
	err = eachRow(found, func(scan func(...any) error) error {
		var was, now int64
		var src tables.Source
		if err := scan(&was, &now, &src.Agent, &src.Path, &src.Part, &src.Host); err != nil {
			return err
		}
		isOwn, isNamed := src.Host == "" || src.Host == c.l.config.Hostname, src.ID() == now
		if isOwn {
			src.Machine, src.User = c.l.config.machine(), c.l.config.User
		}
		if isNamed { // else its path was lost, and tells it from no other
			now = src.ID()
		}
		machine := src.Machine
		if machine == "" {
			machine = src.Host
		}
		rows = append(rows, fmt.Sprintf("(%d, %d, nullif(%s, ''), nullif(%s, ''), nullif(%s, ''))", was, now, sqltext.Literal(machine), sqltext.Literal(src.User), sqltext.Literal(src.Host)))
		return nil
	})
	return rows, err
}

// joined is the SQL that gives a row of an old table, t, what its source gets.
func (o oldStore) joined() string {
	if !o.renews {
		return ""
	}
	return "LEFT JOIN temp.main.renewed ON was_id = t.source_id"
}

// newID is the SQL of the id that the source of such a row has now.
func (o oldStore) newID() string {
	if !o.renews {
		return o.id
	}
	return "coalesce(renewed_id, " + o.id + ")"
}

// formerID is the id that a source had before machines had ids.
func formerID(src tables.Source) int64 {
	src.Machine = ""
	return src.ID()
}
