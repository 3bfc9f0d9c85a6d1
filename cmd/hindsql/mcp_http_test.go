package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"hindsql/internal/posix"
)

// lines collects a running command's output.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// served runs hindsql mcp --http until stop, and returns the announced address.
func served(t *testing.T, e environment) (address string, told *lines, stop func() int) {
	t.Helper()
	told = &lines{}
	e.stderr = told
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() { ended <- execute(ctx, e) }()
	stop = sync.OnceValue(func() int { cancel(); return <-ended })
	t.Cleanup(func() { stop() })
	form := regexp.MustCompile(`http://(127\.0\.0\.1:\d+)/mcp`)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if m := form.FindStringSubmatch(told.String()); m != nil {
			return m[1], told, stop
		}
		select {
		case code := <-ended:
			ended <- code
			t.Fatalf("exit code %d: %s", code, told)
		default:
		}
	}
	t.Fatalf("no address: %s", told)
	return "", nil, nil
}

func pinged(t *testing.T, address, token string) int {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://"+address+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// TestTokenFile: the token is in a file that only the user can read. When the server
// ends, the file is deleted.
func TestTokenFile(t *testing.T) {
	t.Parallel()
	e, stdout, _ := outside(t, "mcp", "--http", "127.0.0.1:0", "--all")
	runtime := filepath.Join(t.TempDir(), "run")
	e.getenv = func(name string) string { return map[string]string{"XDG_RUNTIME_DIR": runtime}[name] }
	address, told, stop := served(t, e)
	path := filepath.Join(runtime, "hindsql", "mcp-"+address[strings.LastIndex(address, ":")+1:]+".token")
	for name, most := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		posix.Mode(t, name, most)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) != 64 || strings.Contains(told.String(), token) || !strings.Contains(told.String(), path) {
		t.Errorf("token %q, told: %s", token, told)
	}
	if got := pinged(t, address, token); got != http.StatusOK {
		t.Errorf("with the token: %d", got)
	}
	if got := pinged(t, address, "guess"); got != http.StatusUnauthorized {
		t.Errorf("with another: %d", got)
	}
	if code := stop(); code != exitOK || stdout.String() != "" {
		t.Errorf("exit code %d, stdout %q", code, stdout)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the token is left: %v", err)
	}
}

// TestTokenOfTheEnvironment: the server uses the token in $HINDSQL_TOKEN, and writes it
// to no file or output.
func TestTokenOfTheEnvironment(t *testing.T) {
	t.Parallel()
	const token = "of-the-environment"
	e, _, _ := outside(t, "mcp", "--http", "localhost:0", "--all")
	e.getenv = func(name string) string { return map[string]string{"HINDSQL_TOKEN": token}[name] }
	address, told, stop := served(t, e)
	if got := pinged(t, address, token); got != http.StatusOK || strings.Contains(told.String(), token) {
		t.Errorf("%d: %s", got, told)
	}
	stop()
	if left, _ := filepath.Glob(filepath.Join(e.home, ".local", "state", "hindsql", "*.token")); len(left) > 0 {
		t.Errorf("written: %v", left)
	}
}

// TestHTTPUsage: wrong usage is refused before anything is opened.
func TestHTTPUsage(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]struct{ address, token string }{
		"--http 0.0.0.0:80: only this machine is answered, at 127.0.0.1": {"0.0.0.0:80", ""},
		"--http 8080: write it as 127.0.0.1:8321":                        {"8080", ""},
		"$HINDSQL_TOKEN: 16 or more letters":                             {"127.0.0.1:0", "short"},
		"$HINDSQL_TOKEN: 16 or more letters, digits":                     {"127.0.0.1:0", "with a space in the middle"},
	} {
		e, _, stderr := outside(t, "mcp", "--http", test.address, "--all")
		e.getenv = func(name string) string { return map[string]string{"HINDSQL_TOKEN": test.token}[name] }
		if code := execute(context.Background(), e); code != exitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d: %s", test.address, code, stderr)
		}
	}
}
