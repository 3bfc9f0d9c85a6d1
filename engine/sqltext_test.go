package engine_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/internal/sqltext"
)

// lexed is what both DuckDB and sqltext know about a text that DuckDB can parse.
type lexed struct {
	statements int
	parameters []string // of the last statement, in the order of their names; none for ? and $1
}

func (l lexed) equal(other lexed) bool {
	return l.statements == other.statements && slices.Equal(l.parameters, other.parameters)
}

// byDuckDB lexes a text with DuckDB, and returns DuckDB's error if lexing fails.
func byDuckDB(conn *sql.Conn, text string) (l lexed, err error) {
	// The query counts only SELECT statements.
	const count = `SELECT json_array_length(tree, '$.statements') FROM (SELECT json_serialize_sql(?::VARCHAR) AS tree) WHERE NOT (tree->'$.error')::BOOLEAN`
	if err := conn.QueryRowContext(context.Background(), count, text).Scan(&l.statements); err != nil {
		return l, err
	}
	statements := sqltext.Statements(text)
	err = conn.Raw(func(c any) error {
		prepared, err := c.(driver.ConnPrepareContext).PrepareContext(context.Background(), statements[len(statements)-1].Text)
		if err != nil {
			return err
		}
		defer prepared.Close()
		for i := 1; i <= prepared.NumInput(); i++ {
			if name, _ := prepared.(*duckdb.Stmt).ParamName(i); strings.Trim(name, "0123456789") != "" {
				l.parameters = append(l.parameters, name)
			}
		}
		return nil
	})
	slices.Sort(l.parameters)
	return l, err
}

func byUs(text string) (l lexed) {
	statements := sqltext.Statements(text)
	if l.statements = len(statements); l.statements > 0 {
		l.parameters = slices.DeleteFunc(sqltext.Parameters(statements[l.statements-1].Text), func(name string) bool { return name == "" })
	}
	slices.Sort(l.parameters)
	return l
}

// TestSQLTextReadsAsDuckDB: where lexers could disagree, DuckDB decides.
func TestSQLTextReadsAsDuckDB(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	conn, err := db.Conn(context.Background())
	must(t, err)
	defer conn.Close()
	for _, text := range []string{
		"SELECT 1; ; -- ;\n /* ; */ SELECT $a", "SELECT 1 -- x\r; SELECT $a", "SELECT 1 --/* \n; SELECT 2 --*/", "SELECT 1 + /* a /* ; */ ; */ $a; SELECT $b",
		"SELECT 1 /*/ ; */", "SELECT 1 /*/*/ ; */ */", "SELECT /***/ 1; SELECT 2", "SELECT 1*/*;*/2", "SELECT 1 //* ; */ $a", "SELECT 1 -/*;*/- 1",
		"SELECT\f1", "SELECT\u00a0$a\u3000;\u00a0SELECT\u2003$b\ufeff, 1", "SELECT $a\u00a0, 1", "SELECT '\u00a0;', \"\u3000;\" FROM (SELECT 1 AS \"\u3000;\")",
		"SELECT 'it''s;', 'a\\'; SELECT $b", `SELECT e'a\';$a', E'\\'; SELECT $b`, "SELECT e'a'\n-- x\n'b\\';$a'; SELECT $b", "SELECT 'a'--x\r'b;'", "SELECT x'4;', n'$a;'",
		`SELECT 1e5, 1_0.5e-1_0, .5, 1., 1.e, 1a, 0x1f, 1_a`, `SELECT "a;""$b" FROM (SELECT 1 AS "a;""$b"); SELECT $a`, "SELECT \"a\"\n\"b;\" FROM (SELECT 1 AS a)",
		"SELECT $$;$a$$; SELECT $b", "SELECT $x_1$;$$;$a$x_1$; SELECT $b", "SELECT $ü$;$ü$", "SELECT $A$;$a$;$A$", "SELECT a$b FROM (SELECT 1 AS a$b)",
		"SELECT 1 AS a$$; SELECT $c AS b$$", "SELECT 1 AS a$1; SELECT 2", "SELECT $b, $a, $B1, $_c, $ü1, $select", "SELECT $a||$b", "SELECT $a b$x$b; SELECT $c",
		`SELECT $"a ""b;", 1`, "SELECT $1, $2", "SELECT $1a, $2b", "SELECT ?, ?", "SELECT ?1, ?2", "SELECT 1-?", "SELECT ? + ?a; SELECT 2", "SELECT $1e5",
		"SELECT {'a': $a}, [1, 2][1:$b], $c::INT, '{}'->>'a'", "SELECT 日本, 'ü;' FROM (SELECT 1 AS 日本)",
	} {
		want, err := byDuckDB(conn, text)
		if err != nil {
			t.Errorf("%q: DuckDB doesn't take it: %v", text, err)
		} else if got := byUs(text); !got.equal(want) {
			t.Errorf("%q: %+v, DuckDB has %+v", text, got, want)
		}
	}
}
