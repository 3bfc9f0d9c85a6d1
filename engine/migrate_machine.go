package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Before machines had ids, a machine's name stood in place of the id, also in the ids
// of sources. Rows with this machine's name get this machine's id. Rows of another
// machine keep the name in place of an id.

// renew makes the table renewed if the old store knows no machine ids. The table maps
// the old ids of sources to the new ids and machines.
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

// renewed returns the rows of the table renewed, as SQL.
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
		if isNamed { // if not, the path was lost, and doesn't identify the source
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

// joined is the SQL that joins a row of an old table, t, with the source's row in
// renewed.
func (o oldStore) joined() string {
	if !o.renews {
		return ""
	}
	return "LEFT JOIN temp.main.renewed ON was_id = t.source_id"
}

// newID is the SQL of the new id of a row's source.
func (o oldStore) newID() string {
	if !o.renews {
		return o.id
	}
	return "coalesce(renewed_id, " + o.id + ")"
}

// formerID returns the id that a source had before machines had ids.
func formerID(src tables.Source) int64 {
	src.Machine = ""
	return src.ID()
}
