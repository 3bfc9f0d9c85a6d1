//go:build !unix

package prompt

// stdin does nothing on this system, where the readline library reads single keys by
// itself.
type stdin struct{}

func newStdin() *stdin { return nil }

func (*stdin) capture() (release func()) { return func() {} }

func (*stdin) start() {}

func (*stdin) stop() bool { return false }

func (*stdin) take(func(key, rest []byte) bool) (key string, ok bool) { return "", false }

func (*stdin) pasted() (text string, ok bool) { return "", false }
