package loopback_test

import (
	"errors"
	"net"
	"net/http"
	"testing"

	"hindsql/cmd/hindsql/loopback"
)

// TestListen checks that Listen refuses every address but this machine's own.
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

// TestListenIPv6 checks that ListenIPv6 opens the same port at ::1, and that a second call then
// fails.
func TestListenIPv6(t *testing.T) {
	t.Parallel()
	l, err := loopback.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	beside, err := loopback.ListenIPv6(l)
	if err != nil {
		t.Skip("that port is somebody's at ::1:", err)
	}
	if len(beside) == 0 {
		t.Skip("this machine has no ::1")
	}
	defer beside[0].Close()
	if again, err := loopback.ListenIPv6(l); err == nil {
		t.Errorf("the port is had twice: %v", again)
	}
	if l.Addr().(*net.TCPAddr).Port != beside[0].Addr().(*net.TCPAddr).Port || !beside[0].Addr().(*net.TCPAddr).IP.Equal(net.IPv6loopback) {
		t.Errorf("%s beside %s", beside[0].Addr(), l.Addr())
	}
}

// TestServeBoth checks that two listeners answer, and end together if one fails.
func TestServeBoth(t *testing.T) {
	t.Parallel()
	var listeners []net.Listener
	for range 2 {
		l, err := loopback.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, l)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- loopback.Serve(t.Context(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}), listeners...)
	}()
	for _, l := range listeners {
		answer, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	listeners[1].Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
	if _, err := http.Get("http://" + listeners[0].Addr().String()); err == nil { //nolint:bodyclose // no body comes
		t.Error("the other listener is answered at")
	}
}
