package main

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/readers/sample"
)

// TestSampleIsOfYesterday: without a pinned day, the report of the last days and the
// first page have figures.
func TestSampleIsOfYesterday(t *testing.T) {
	whole.Test(t, "loads the sample of another day, 1.6 s of processor time")
	t.Parallel()
	cache := t.TempDir()
	unpinned := func(args ...string) (e environment, stdout, stderr *strings.Builder) {
		e, stdout, stderr = outside(t, append([]string{"--sample"}, args...)...)
		e.getenv = cachedIn(cache, sampleDay+"=")
		return e, stdout, stderr
	}
	before := time.Now()
	e, stdout, stderr := unpinned("--timezone", "UTC", "--format", "csv", "SELECT CAST(max(timestamp) AS DATE) AS last FROM messages")
	last := strings.TrimPrefix(strings.TrimSpace(succeed(t, e, stdout, stderr)), "last\n")
	if last != before.AddDate(0, 0, -1).Format(time.DateOnly) && last != time.Now().AddDate(0, 0, -1).Format(time.DateOnly) {
		t.Errorf("the last day is %s", last)
	}
	figures := []string{"sessions", "prompts", "tool calls", "tokens written", "refused"}
	e, stdout, stderr = unpinned("report", "run", "weekly", "--format", "text")
	text := succeed(t, e, stdout, stderr)
	for _, name := range figures {
		if !regexp.MustCompile(`(?m)^` + name + ` +[1-9]`).MatchString(text) {
			t.Errorf("weekly has no %s:\n%.2000s", name, text)
		}
	}
	e, _, _ = unpinned("web", "--port", "0")
	address, _, _ := webServed(t, e)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{Jar: jar}).Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range figures {
		if !regexp.MustCompile(`<dt>` + name + `</dt><dd class="value"><a[^>]*>[1-9]`).Match(page) {
			t.Errorf("the first page has no %s:\n%.2000s", name, page)
		}
	}
}

// TestEarlierSample: a command on another day removes yesterday's sample with its store,
// but not while a process uses it, nor within a minute of its use. The sample as written
// stays.
func TestEarlierSample(t *testing.T) {
	whole.Test(t, "loads the sample of three days, 1.3 s of processor time")
	t.Parallel()
	cache := t.TempDir()
	on := func(day string) (folder string) {
		t.Helper()
		e, stdout, stderr := outside(t, "--sample", "--no-sync", "SELECT 1")
		e.getenv = cachedIn(cache, sampleDay+"="+day)
		succeed(t, e, stdout, stderr)
		days, err := sample.On(day, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if folder, err = days.Folder(filepath.Join(cache, "hindsql")); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	isThere := func(folder string, want bool, when string) {
		t.Helper()
		if _, err := os.Stat(folder); (err == nil) != want {
			t.Errorf("%s: the earlier sample is there: %t, want %t", when, err == nil, want)
		}
	}
	written, yesterday := on(sample.Last), on("2026-11-27")
	on("2026-11-28")
	isThere(yesterday, true, "used within a minute")

	aged := func() {
		long := time.Now().Add(-time.Hour)
		if err := os.Chtimes(yesterday, long, long); err != nil {
			t.Fatal(err)
		}
	}
	st, err := engine.Open(context.Background(), engine.Config{Store: filepath.Join(yesterday, "hindsql.duckdb")})
	if err != nil {
		t.Fatal(err)
	}
	aged()
	on("2026-11-28")
	isThere(yesterday, true, "in use")
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	aged()
	on("2026-11-26")
	isThere(yesterday, true, "seen from a day before")
	on("2026-11-28")
	isThere(yesterday, false, "no longer used")
	isThere(written, true, "as written")

	again := on("2026-11-27")
	if again != yesterday {
		t.Errorf("%s, want %s", again, yesterday)
	}
	if _, err := os.Stat(filepath.Join(again, "home", ".claude")); err != nil {
		t.Error(err)
	}
}

// TestSampleDay checks days that can't be, and a cache that can't be written.
func TestSampleDay(t *testing.T) {
	t.Parallel()
	for day, want := range map[string]string{
		"yesterday":  `HINDSQL_SAMPLE_DAY=yesterday: write a day, such as 2026-10-22`,
		"2026-02-30": `HINDSQL_SAMPLE_DAY=2026-02-30: write a day, such as 2026-10-22`,
		"1970-01-01": `HINDSQL_SAMPLE_DAY=1970-01-01: the sample ends on a day from 2002 to 2099`,
	} {
		e, _, stderr := outside(t, "--sample", "run", "overview")
		e.getenv = cachedIn(t.TempDir(), sampleDay+"="+day)
		if code := execute(context.Background(), e); code != exitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d: %s", day, code, stderr)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e, _, stderr := outside(t, "--sample", "run", "overview")
	e.getenv = cachedIn(file)
	if code := execute(context.Background(), e); code != exitFailed || !strings.Contains(stderr.String(), "name another with XDG_CACHE_HOME") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
