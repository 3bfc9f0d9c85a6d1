package engine

import "context"

// Unchecked runs a statement of a safe Store that no list allowed.
func Unchecked(s *Session, ctx context.Context, statement string) error {
	return s.exec(ctx, statement)
}
