package main

import (
	"bytes"
	"debug/pe"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSign signs a small program for Windows with a certificate of its own, and leaves
// programs alone if there are no keys. Signing for macOS needs Apple's own.
func TestSign(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "a.go"), filepath.Join(dir, "a.exe")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	does := func(env []string, name string, args ...string) {
		t.Helper()
		c := exec.Command(name, args...)
		c.Env = append(os.Environ(), env...)
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
	}
	does([]string{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"}, "go", "build", "-ldflags=-s -w", "-o", program, source)
	before, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"linux", "windows", "darwin"} {
		does([]string{"WINDOWS_CERTIFICATE=", "APPLE_CERTIFICATE="}, "./sign", system, program)
	}
	if after, err := os.ReadFile(program); err != nil || !bytes.Equal(before, after) {
		t.Errorf("without keys, the program is another (%v)", err)
	}
	for _, needed := range []string{"openssl", "osslsigncode"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip(err)
		}
	}
	key, certificate, both, password := filepath.Join(dir, "key"), filepath.Join(dir, "certificate"), filepath.Join(dir, "p12"), filepath.Join(dir, "password")
	does(nil, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-subj", "/CN=hindsql", "-addext", "extendedKeyUsage=codeSigning")
	does(nil, "openssl", "pkcs12", "-export", "-inkey", key, "-in", certificate, "-out", both, "-passout", "pass:secret")
	if err := os.WriteFile(password, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	does([]string{"WINDOWS_CERTIFICATE=" + both, "WINDOWS_PASSWORD_FILE=" + password}, "./sign", "windows", program)
	f, err := pe.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if signed := f.OptionalHeader.(*pe.OptionalHeader64).DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_SECURITY]; signed.Size == 0 {
		t.Error("the program has no signature")
	}
	does(nil, "osslsigncode", "verify", "-CAfile", certificate, "-in", program)
}
