package loopback_test

import (
	"errors"
	"testing"

	"hindsql/cmd/hindsql/loopback"
)

// TestListen: no address is answered at but this machine's own.
func TestListen(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:80", "example.org:80", "8080", "127.0.0.1", "10.0.0.1:0", ""} {
		l, err := loopback.Listen(address)
		if !errors.As(err, new(*loopback.NotOurs)) {
			t.Errorf("%q: %v", address, err)
		}
		if err == nil {
			l.Close()
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "127.0.0.2:0"} {
		l, err := loopback.Listen(address)
		if err != nil {
			t.Errorf("%q: %v", address, err)
			continue
		}
		l.Close()
	}
}
