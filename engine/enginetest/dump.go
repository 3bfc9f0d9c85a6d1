package enginetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/tables"
)

// Dump returns every row of every table in the store, in order, without load times.
func (h *Home) Dump() map[string][]string {
	h.T.Helper()
	return Dump(h.T, h.looking())
}

// Dump is [Home.Dump] for an open store. It reads all tables in one statement, because
// a statement for each table takes five times as long, and nearly every test compares
// dumps.
func Dump(t testing.TB, s Face) map[string][]string {
	t.Helper()
	var pieces []string
	for _, table := range tables.All() {
		columns, schema := "*", tables.Schema
		if table.View != "" {
			schema = "main"
		}
		if table.Name == "message_keys" {
			continue // its order depends on how it was filled
		}
		if table.Name == "sources" {
			columns = "* EXCLUDE (loaded_at) REPLACE (gone_at IS NOT NULL AS gone_at)"
		}
		where := "true"
		if table.Name == "neighbours" { // neighbours aren't watched for a Codex log older than a minute
			where = "existed OR agent != 'codex'"
		}
		// Long rows are shortened to their beginning and hash.
		pieces = append(pieces, fmt.Sprintf("SELECT '%[3]s', left(r, 600) || ' ' || md5(r) FROM (SELECT CAST(t AS VARCHAR) AS r FROM (SELECT %[1]s FROM store.%[2]s.%[3]s WHERE %[4]s) t)", columns, schema, table.Name, where))
	}
	all := map[string][]string{}
	for _, row := range Rows(t, s, strings.Join(pieces, " UNION ALL ")+" ORDER BY ALL") {
		name, text, _ := strings.Cut(row, "|")
		all[name] = append(all[name], text)
	}
	return all
}

// WantSame compares the store with another store's dump.
func (h *Home) WantSame(want map[string][]string) {
	h.T.Helper()
	if diff := cmp.Diff(want, h.Dump()); diff != "" {
		h.T.Errorf("the stores differ (-want +got)\n%.6000s", diff)
	}
}

// LikeClean compares the store with a new store of the same logs.
func (h *Home) LikeClean() {
	h.T.Helper()
	s := h.Clean().Open()
	defer s.Close()
	_, err := s.Sync(context.Background(), engine.SyncOptions{})
	Must(h.T, err)
	h.WantSame(Dump(h.T, s))
}
