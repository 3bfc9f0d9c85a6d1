package pull

import (
	"context"
	"fmt"
	"math"
	"strings"

	"hindsql/engine"
	"hindsql/internal/pattern"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// check checks that each file has the manifest's number of rows, and not more bytes
// than the bounds allow. A file that fails isn't unpacked.
func (b Bounds) check(ctx context.Context, st *engine.Store, files fetched) error {
	left := b.MachineUnpacked
	for _, t := range pushed() {
		for _, f := range files[t.Name] {
			p, err := look(f.path)
			if err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
			most, n := b.unpacked(f.Bytes), p.unpacked
			if p.rows != f.Rows {
				return fmt.Errorf("%s: %d rows, and the manifest says %d", f.Path, p.rows, f.Rows)
			}
			if n <= most && p.repeated > most {
				if n, err = texts(ctx, st, t, f); err != nil {
					return fmt.Errorf("%s: %w", f.Path, err)
				}
			}
			if n > most {
				return over(f.Path, n, "bytes unpacked", most)
			}
			if left -= n; left < 0 {
				return over("its files", b.MachineUnpacked-left, "bytes unpacked", b.MachineUnpacked)
			}
		}
	}
	return nil
}

// texts returns how many bytes of text a file with dictionaries holds. A kilobyte of
// dictionary may stand for gigabytes. DuckDB only sums the lengths and stores no text.
func texts(ctx context.Context, st *engine.Store, t *tables.Table, f local) (bytes int64, err error) {
	var sizes []string
	err = st.Each(ctx, "DESCRIBE FROM "+scan([]local{f}), func(scan func(...any) error) error {
		var name, kind string
		var ignored any
		err := scan(&name, &kind, &ignored, &ignored, &ignored, &ignored)
		if size := sizeOf(t, name, kind); size != "" {
			sizes = append(sizes, "coalesce("+size+", 0)")
		}
		return err
	})
	if err != nil || len(sizes) == 0 {
		return 0, err
	}
	query := fmt.Sprintf("SELECT coalesce(least(sum(%s), %d), 0)::BIGINT FROM %s", strings.Join(sizes, " + "), int64(math.MaxInt64/2), scan([]local{f}))
	return bytes, st.Each(ctx, query, func(scan func(...any) error) error { return scan(&bytes) })
}

// sizeOf returns the SQL of a column's bytes in a row. It is empty if the pull ignores
// the column, or if values are short.
func sizeOf(t *tables.Table, name, kind string) string {
	if !t.Has(name) {
		return ""
	}
	column := sqltext.Identifier(name)
	switch {
	case kind == "VARCHAR" || kind == "JSON":
		return "strlen(" + column + ")"
	case kind == "BLOB":
		return "octet_length(" + column + ")"
	case kind == "VARCHAR[]":
		return "list_sum(list_transform(" + column + ", lambda v: strlen(v)))"
	case kind == tables.AnswersType:
		const answer = `coalesce(strlen(v.question), 0) + coalesce(strlen(v.words), 0)
			+ coalesce(list_sum(list_transform(v."options" || v.picked, lambda w: strlen(w))), 0)`
		return "list_sum(list_transform(" + column + ", lambda v: " + answer + "))"
	case strings.HasSuffix(kind, "[]") && isRead(kind):
		return "16 * len(" + column + ")"
	}
	return ""
}

var readKind = pattern.Lazy(`^(VARCHAR|(BOOLEAN|FLOAT|DOUBLE|U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|DECIMAL\(\d+,\d+\)|DATE|TIME[A-Z_ ]*|INTERVAL|UUID))(\[\])?$|^(JSON|BLOB)$`)

// isRead reports whether a pull reads columns of a type. No table has other types, with
// a size that is harder to compute.
func isRead(kind string) bool { return kind == tables.AnswersType || readKind.MatchString(kind) }
