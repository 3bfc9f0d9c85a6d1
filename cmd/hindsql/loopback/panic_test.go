package loopback_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hindsql/cmd/hindsql/loopback"
)

// TestPanic: a panic in the answer to a request costs that request only. An answer that
// has begun breaks off.
func TestPanic(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(loopback.Recovering(func(value any) string { return fmt.Sprintf("internal error: %T", value) }, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/begun" {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
		}
		if r.URL.Path != "/" {
			panic("a text")
		}
	})))
	defer server.Close()
	get := func(path string) (status int, text string, err error) {
		t.Helper()
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return response.StatusCode, string(body), err
	}
	for range 2 {
		if status, text, err := get("/panics"); err != nil || status != http.StatusInternalServerError || strings.TrimSpace(text) != "internal error: string" {
			t.Errorf("%d %q %v", status, text, err)
		}
		if _, text, err := get("/begun"); err == nil {
			t.Errorf("an answer that broke off looks whole: %q", text)
		}
		if status, _, err := get("/"); err != nil || status != http.StatusOK {
			t.Errorf("%d %v", status, err)
		}
	}
}
