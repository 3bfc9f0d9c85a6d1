// Command prices renews the list of prices in the program: it has pip fetch the newest
// wheel of litellm from PyPI, takes model_prices_and_context_window_backup.json out of
// it, and writes what readers can meet to tables/prices/litellm.json.gz, and date and
// version to tables/prices/litellm.txt. A person runs it in the repository, and commits
// both files:
//
//	go -C tools run ./prices
//
// No build and no test fetches anything.
package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	listName = "litellm/model_prices_and_context_window_backup.json"
	// mostBytes bounds the packed list, which every binary carries.
	mostBytes = 150_000
)

func main() {
	folder := flag.String("to", "../tables/prices", "`folder` of the list")
	wheel := flag.String("wheel", "", "use this `FILE`, and fetch nothing")
	flag.Parse()
	if err := renew(*folder, *wheel); err != nil {
		fmt.Fprintln(os.Stderr, "prices:", err)
		os.Exit(1)
	}
}

// renew writes the list of a wheel to folder. Without a wheel, it fetches one.
func renew(folder, wheel string) error {
	if wheel == "" {
		temp, err := os.MkdirTemp("", "prices")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		if wheel, err = fetch(temp); err != nil {
			return err
		}
	}
	text, err := fromWheel(wheel)
	if err != nil {
		return err
	}
	list, models, err := reduce(text)
	if err != nil {
		return err
	}
	packed, err := pack(list)
	if err != nil {
		return err
	}
	if len(packed) > mostBytes {
		return fmt.Errorf("the list takes %d bytes, more than %d; leave out resellers in reduce.go", len(packed), mostBytes)
	}
	_, version, _ := strings.Cut(filepath.Base(wheel), "-")
	version, _, _ = strings.Cut(version, "-")
	about := fmt.Sprintf("%s litellm %s %x\n", time.Now().UTC().Format(time.DateOnly), version, sha256.Sum256(packed))
	fmt.Printf("%d models of litellm %s in %d bytes\n", models, version, len(packed))
	return errors.Join(
		os.WriteFile(filepath.Join(folder, "litellm.json.gz"), packed, 0o644),
		os.WriteFile(filepath.Join(folder, "litellm.txt"), []byte(about), 0o644))
}

// fetch has pip download the newest wheel into folder, and returns its path.
func fetch(folder string) (string, error) {
	c := exec.Command("python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", folder, "litellm")
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("pip download litellm: %w", err)
	}
	found, err := filepath.Glob(filepath.Join(folder, "litellm-*.whl"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("pip left %d wheels of litellm: %w", len(found), err)
	}
	return found[0], nil
}

// fromWheel returns LiteLLM's list of prices.
func fromWheel(path string) ([]byte, error) {
	wheel, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer wheel.Close()
	f, err := wheel.Open(listName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// pack compresses the list. The same list gives the same bytes.
func pack(list []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(list)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}
