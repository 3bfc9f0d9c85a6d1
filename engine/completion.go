package engine

import (
	"context"

	"hindsql/engine/complete"
	"hindsql/internal/sqltext"
)

// Completions are the possible completions of a word of SQL.
type Completions = complete.Words

// Complete returns the words that may stand at a byte position of SQL text: tables,
// columns, functions, keywords, values of a column, and file names if the SQL reads
// files. After a table or alias and a point, the words are the table's columns. If the
// statement names tables, only their columns are offered. Complete runs nothing of the
// text: queries inside the text are only bound, to learn their columns.
func (s *Session) Complete(ctx context.Context, text string, at int) (Completions, error) {
	return s.in.complete(ctx, text, at)
}

// Values returns values of a column as text: the latest session ids, or the most
// frequent values of another column, at most some hundred. It returns nil if the lookup
// takes long, or if the store can't be read.
func (s *Session) Values(ctx context.Context, table, column string) []string {
	return s.in.valuesOf(ctx, table, column)
}

// newCompleter returns a completer whose queries each runs.
func newCompleter(s *connection, each func(ctx context.Context, query string, use func(scan func(...any) error) error) error) *complete.Completer {
	describe := func(ctx context.Context, query string) []string { return columnNames(ctx, s, query) }
	return complete.New(complete.Source{Each: each, Describe: describe, LetGo: s.letGo, SyncedAt: s.syncedAt, Schema: ourNames})
}

// columnNames returns the columns that a query would have; nil if the query is wrong or
// not allowed.
func columnNames(ctx context.Context, s *connection, query string) (names []string) {
	if s.allowed(ctx, sqltext.Statement{Text: query}) != nil {
		return nil
	}
	for _, c := range s.describe(ctx, query, nil) {
		names = append(names, c.Name)
	}
	return names
}

func (s *connection) complete(ctx context.Context, text string, at int) (Completions, error) {
	if err := s.take(ctx); err != nil {
		return Completions{}, err
	}
	defer s.give(ctx)
	return s.words.Complete(ctx, text, at)
}

func (s *connection) valuesOf(ctx context.Context, table, column string) []string {
	if err := s.take(ctx); err != nil {
		return nil
	}
	defer s.give(ctx)
	return s.words.Values(ctx, table, column)
}
