package engine

import (
	"context"

	"hindsql/engine/complete"
	"hindsql/internal/sqltext"
)

// Completions are the ways in which a word of SQL may go on.
type Completions = complete.Words

// Complete gives the words that may stand at a place of SQL text, which is in
// bytes: tables, columns, functions, keywords, values of a column, names of files
// where some are read. Behind an alias or a table and a point they are its
// columns; where the statement names tables, no columns but theirs are given. It
// runs nothing of the text: what that makes itself is bound only.
func (s *Session) Complete(ctx context.Context, text string, at int) (Completions, error) {
	return s.in.complete(ctx, text, at)
}

// Values are those of a column, as text: the latest ids, and of another column
// those that stand most often, at most some hundred. It gives none where that
// would take long, and where the store can't be read.
func (s *Session) Values(ctx context.Context, table, column string) []string {
	return s.in.valuesOf(ctx, table, column)
}

func newCompleter(s *connection) *complete.Completer {
	describe := func(ctx context.Context, query string) []string { return columnNames(ctx, s, query) }
	return complete.New(complete.Source{Each: s.each, Describe: describe, LetGo: s.letGo, SyncedAt: s.syncedAt, Schema: ourNames})
}

// columnNames are the columns that a query would have; nil if it is wrong or not
// allowed.
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
