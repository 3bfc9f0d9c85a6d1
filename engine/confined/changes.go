package confined

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hindsql/engine/duck"
	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// changedLater lists the columns in which the two large tables are hashed: columns that
// links or a new host name change. Any other change of a row comes with a new loaded_at of
// its log in sources: by a new load, or by link 4-results-elsewhere. A refresh compares
// hashes of the held columns only.
var changedLater = map[string][]string{
	"messages": {
		"session_id", "project", "message_index", "is_active", "is_copy", "output_tokens", "recorded_output_tokens", "tokens_reliable",
		"cost_estimated_usd", "host",
	},
	"tool_calls": {
		"session_id", "project", "message_index", "result_message_index", "is_copy", "status", "is_error", "error_type", "decision",
		"decided_by", "decision_scope", "decision_confidence", "waited_ms", "command_parts", "host",
	},
}

// hashed returns the columns by which a change of rows shows.
func (p *tableCopy) hashed() []string {
	later, large := changedLater[p.Name]
	list := []string{"source_id"}
	for _, name := range p.columns {
		if !large || slices.Contains(later, name) {
			list = append(list, name)
		}
	}
	return list
}

// states finds the state of each source's rows in scope: a hash of the rows and of the
// source. A source's own row doesn't suffice: links also change rows of sources that
// did not change.
func (c *copier) states(ctx context.Context, list []*tableCopy) error {
	var parts []string
	for i, p := range list {
		parts = append(parts, fmt.Sprintf("SELECT %d AS place, source_id, sum(%s::HUGEINT) AS state FROM %s.%s WHERE %s GROUP BY source_id",
			i, sqltext.Hash(p.hashed()), duck.StoreSchema, p.Name, c.scopes.Condition(p.Table)))
	}
	if len(parts) == 0 {
		return nil
	}
	query := "SELECT place, source_id, concat_ws(' ', state, version) FROM (" + strings.Join(parts, " UNION ALL ") + `) LEFT JOIN (
		SELECT source_id, hash(size, modified_at, loaded_at, stamp, reader_version, machine) AS version FROM ` + duck.StoreSchema + ".sources) USING (source_id)"
	return c.from.Each(ctx, query, func(scan func(...any) error) error {
		var place int
		var id int64
		var state string
		err := scan(&place, &id, &state)
		if err == nil {
			list[place].now[id] = state
		}
		return err
	})
}

// groups are the rows of a source in groups, those with the same message_index. A group
// has the hash of all its held columns. Nil if a row has no message_index.
type groups map[int64]string

// mostGroups is the most groups that are replaced one by one, and mostSources the most
// sources whose groups are.
const (
	mostGroups  = 500
	mostSources = 8
)

// grouped reports whether single rows of a source are replaced.
func (p *tableCopy) grouped() bool { return changedLater[p.Name] != nil }

// findGroups finds the groups of some sources.
func (c *copier) findGroups(ctx context.Context, p *tableCopy, ids []int64) error {
	if !p.grouped() || len(ids) == 0 || len(ids) > mostSources {
		return nil
	}
	unindexed := map[int64]bool{}
	query := fmt.Sprintf("SELECT source_id, message_index IS NULL, coalesce(message_index, 0)::BIGINT, sum(%s::HUGEINT)::VARCHAR FROM %s.%s WHERE %s AND %s GROUP BY source_id, message_index",
		sqltext.Hash(p.columns), duck.StoreSchema, p.Name, ofSources(ids), c.scopes.Condition(p.Table))
	err := c.from.Each(ctx, query, func(scan func(...any) error) error {
		var id, index int64
		var none bool
		var hash string
		if err := scan(&id, &none, &index, &hash); err != nil {
			return err
		}
		if p.groups[id] == nil {
			p.groups[id] = groups{}
		}
		p.groups[id][index] = hash
		unindexed[id] = unindexed[id] || none
		return nil
	})
	for id := range unindexed {
		if unindexed[id] {
			p.groups[id] = nil
		}
	}
	return err
}

// mostGrowing is how many sources are taken to be growing: an agent that asks is in a
// session whose log it wrote a moment ago.
const mostGrowing = 4

// growing returns the sources of a table that changed last.
func (p *tableCopy) growing(ctx context.Context, from *duck.Reading) (ids []int64, err error) {
	if !p.grouped() {
		return nil, nil
	}
	query := "SELECT source_id FROM " + duck.StoreSchema + ".sources WHERE size > 0 ORDER BY modified_at DESC NULLS LAST LIMIT 100"
	err = from.Each(ctx, query, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		if _, in := p.now[id]; in && len(ids) < mostGrowing {
			ids = append(ids, id)
		}
		return err
	})
	return ids, err
}

// changes returns the conditions for rows to delete in the worker, and for rows to copy.
func (c *copier) changes(ctx context.Context, p *tableCopy) (gone, come []string, err error) {
	was := c.w.known[p.Name]
	if p.anew {
		return c.allOf(ctx, p, was)
	}
	var going, coming, both []int64
	for id, state := range p.now {
		switch before, had := was[id]; {
		case !had:
			coming = append(coming, id)
		case before != state:
			both = append(both, id)
		}
	}
	for id := range was {
		if _, has := p.now[id]; !has {
			going = append(going, id)
		}
	}
	if err := c.findGroups(ctx, p, both); err != nil {
		return nil, nil, err
	}
	for _, id := range both {
		if condition := p.differing(id, c.w.groups[p.Name][id]); condition != "" {
			gone, come = append(gone, condition), append(come, condition)
			continue
		}
		going, coming = append(going, id), append(coming, id)
	}
	if len(going) > 0 {
		gone = append(gone, ofSources(going))
	}
	size, err := c.sizeOf(ctx, going...)
	if err != nil {
		return nil, nil, err
	}
	c.w.stale += size
	for _, id := range going {
		if _, found := p.groups[id]; !found {
			p.groups[id] = nil // the old groups are wrong now
		}
	}
	slices.Sort(coming)
	whole, err := c.slicesOf(ctx, coming)
	return gone, append(come, whole...), err
}

// allOf is changes for a table whose rows are all copied. was has the sources whose rows
// the worker holds; nil if it holds none.
func (c *copier) allOf(ctx context.Context, p *tableCopy, was map[int64]string) (gone, come []string, err error) {
	if was != nil {
		size, err := c.sizeOf(ctx, slices.Collect(maps.Keys(was))...)
		if err != nil {
			return nil, nil, err
		}
		c.w.stale += size
		gone = []string{"true"}
	}
	growing, err := p.growing(ctx, c.from)
	if err == nil {
		err = c.findGroups(ctx, p, growing)
	}
	if err == nil {
		come, err = c.slices(ctx, p)
	}
	return gone, come, err
}

// differing returns the condition for the rows of a source that differ from those of
// the last copy; empty if that isn't known, or if most rows differ.
func (p *tableCopy) differing(id int64, was groups) string {
	now := p.groups[id]
	if was == nil || now == nil {
		return ""
	}
	var indexes []int64
	for index, hash := range now {
		if was[index] != hash {
			indexes = append(indexes, index)
		}
	}
	for index := range was {
		if _, has := now[index]; !has {
			indexes = append(indexes, index)
		}
	}
	switch {
	case len(indexes) > mostGroups:
		return ""
	case len(indexes) == 0:
		return "false"
	}
	slices.Sort(indexes)
	return fmt.Sprintf("source_id = %d AND message_index IN (%s)", id, sqltext.Numbers(indexes, "%d"))
}

// columnsIn returns the columns of a table with some names, in the table's order.
func columnsIn(t *tables.Table, names []string) []tables.Column {
	return lists.Filter(t.Columns, func(c tables.Column) bool { return slices.Contains(names, c.Name) })
}
