package push

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// wording writes values as they leave. By the options it redacts secrets, drops texts,
// or replaces user names.
type wording struct {
	*Options
	machine, host string
	users         []string // owners of the pushed logs
	owner         string   // owner of most pushed logs
}

// loadUsers finds the owners of the pushed logs.
func (w *wording) loadUsers(ctx context.Context, r *engine.Reading) error {
	query := fmt.Sprintf(`SELECT t."user" FROM %s.sources AS t WHERE t.source_id IN (SELECT source_id FROM %s) AND t."user" <> '' GROUP BY ALL ORDER BY count(*) DESC, 1`,
		engine.StoreSchema, pushedSources)
	err := r.Each(ctx, query, func(scan func(...any) error) error {
		var user string
		err := scan(&user)
		w.users = append(w.users, user)
		return err
	})
	if len(w.users) > 0 {
		w.owner = w.users[0]
	}
	return err
}

// constant returns the SQL of a column that the table lacks.
func (w *wording) constant(t *tables.Table, name string) string {
	switch value := map[string]string{"machine": w.machine, "user": w.owner, "host": w.host}[name]; {
	case value == "" || name == "host" && w.Texts == landing.NoText:
		return "CAST(NULL AS VARCHAR)"
	case name == "user":
		return w.ofUser(sqltext.Literal(value))
	case name == "host" && w.Texts == landing.Redacted:
		return sqltext.Literal(w.Redact.Redact(value, false))
	default:
		return sqltext.Literal(value)
	}
}

// value returns the SQL of a column's value as landed.
func (w *wording) value(t *tables.Table, c tables.Column) string {
	name := sqltext.Identifier(c.Name)
	switch {
	case c.Name == "machine":
		return name
	case c.Name == "user":
		return w.ofUser(name)
	case w.Texts == landing.NoText && !t.Wordless(c):
		return "CAST(NULL AS " + landedType(c.Type) + ")"
	}
	value := w.redacted(name, c.Type)
	switch {
	case w.Texts == landing.NoText && c.Type == "VARCHAR":
		return fmt.Sprintf("CASE WHEN %s THEN %s END", isPlainWord(name), value)
	case c.Type == "JSON":
		return "CAST(" + value + " AS VARCHAR)" // other programs read DuckDB's JSON type as bytes
	}
	return value
}

// redacted returns the SQL of a value without secrets, or of the value itself for plain
// texts. Equal values stay equal, so ids join.
func (w *wording) redacted(name, duckType string) string {
	if w.Texts == landing.Plain {
		return name
	}
	return engine.Redacted(name, duckType)
}

// isPlainWord returns the SQL condition for an id or a short word, which may leave even
// if texts may not. A text isn't plain if it is long, contains a space, begins like a
// path, or has more parts than a subagent's id.
func isPlainWord(name string) string {
	const part = `[A-Za-z0-9._:@+=|#<>()\[\]~-]{0,100}`
	return fmt.Sprintf("regexp_full_match(%s, '[A-Za-z0-9_<(#|:@+=-]%s(/%[2]s){0,2}')", name, part)
}

func landedType(duckType string) string {
	if duckType == "JSON" {
		return "VARCHAR"
	}
	return duckType
}

// ofUser returns the SQL of a user's name as pushed.
func (w *wording) ofUser(name string) string {
	switch w.Users {
	case UserPlain:
		return w.redacted(name, "VARCHAR")
	case UserNone:
		return "CAST(NULL AS VARCHAR)"
	}
	sql := "CASE " + name
	for _, user := range w.users {
		sql += " WHEN " + sqltext.Literal(user) + " THEN " + sqltext.Literal(byHMAC(w.Salt, user))
	}
	if len(w.users) == 0 {
		return "CAST(NULL AS VARCHAR)"
	}
	return sql + " END"
}

// byHMAC returns a name's HMAC-SHA256 with the salt, in hexadecimal digits.
func byHMAC(salt []byte, name string) string {
	h := hmac.New(sha256.New, salt)
	h.Write([]byte(name))
	return hex.EncodeToString(h.Sum(nil))
}
