package engine

import "context"

// Unchecked runs a statement in a safe Store's worker without the check by the allow
// list.
func Unchecked(s *Session, ctx context.Context, statement string) error {
	w, err := s.in.(*remote).c.ready(ctx)
	if err != nil {
		return err
	}
	return w.do(ctx, callExec, statement, nil)
}

// IsAttached reports whether the store's file is attached in this process.
func IsAttached(s *Session) (is bool) {
	in := s.in.(*connection).in
	_ = in.withAttachment(context.Background(), func() error {
		is = in.attached.is
		return nil
	})
	return is
}
