//go:build linux

package platforms

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// wined returns the program for Windows under wine, with a Windows of its own that ends
// with the test.
func wined(t *testing.T) *host {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "wine")
	start, serve, env := compilers().Wine(prefix)
	h := &host{
		name: "windows", program: windows.program(t), starts: start, env: env,
		profile: filepath.Join(prefix, "drive_c", "users", "root"),
	}
	if err := os.Mkdir(prefix, 0o755); err != nil {
		t.Fatal(err)
	}
	// The server's output is a file: whoever reads a pipe would wait for the server's end.
	server := exec.Command(serve[0], serve[1], "-f", "-p")
	server.Env = append(os.Environ(), h.env...)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// It then ends all of its Windows' programs.
		if err := server.Process.Signal(os.Interrupt); err != nil {
			t.Error("wineserver:", err)
		}
		_ = server.Wait()
	})
	time.Sleep(time.Second)
	boot := exec.Command(start[0], start[1], "wineboot", "--init")
	boot.Env = append(os.Environ(), h.env...)
	if err := boot.Run(); err != nil {
		t.Fatal("wineboot:", err)
	}
	if err := os.RemoveAll(h.profile); err != nil {
		t.Fatal(err)
	}
	return h
}
