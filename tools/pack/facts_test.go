package main

import (
	"debug/elf"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestVersions(t *testing.T) {
	for _, test := range []struct{ describe, version, python string }{
		{"v1.2.3-0-gabc123", "1.2.3", "1.2.3"},
		{"v1.2.3-0-gabc123-dirty", "1.2.4-dev.0+gabc123.dirty", "1.2.4.dev0+gabc123.dirty"},
		{"v1.2.3-7-gabc123", "1.2.4-dev.7+gabc123", "1.2.4.dev7+gabc123"},
		{"v1.2.3-rc.1-0-gabc123", "1.2.3-rc.1", "1.2.3rc1"},
		{"abc123", "0.1.0-dev.42+gabc123", "0.1.0.dev42+gabc123"},
		{"abc123-dirty", "0.1.0-dev.42+gabc123.dirty", "0.1.0.dev42+gabc123.dirty"},
	} {
		version, err := semver(test.describe, 42)
		if err != nil || version != test.version {
			t.Errorf("%s is %s, want %s (%v)", test.describe, version, test.version, err)
		}
		python, err := pep440(version)
		if err != nil || python != test.python {
			t.Errorf("%s is %s for Python, want %s (%v)", version, python, test.python, err)
		}
	}
	for _, bad := range []string{"1.2", "v1.2.3", "1.2.3-preview.1", "1.2.3-rc", "1.2.3 4"} {
		if got, err := pep440(bad); err == nil {
			t.Errorf("%s is %s for Python, want an error", bad, got)
		}
	}
}

// TestNeedsOfAProgram compares a program's table of symbol versions with its symbols.
func TestNeedsOfAProgram(t *testing.T) {
	program, err := os.Open("/bin/sh")
	if err != nil {
		t.Skip(err)
	}
	defer program.Close()
	f, err := elf.NewFile(program)
	if err != nil {
		t.Skip("/bin/sh is no ELF program")
	}
	got, err := needsOf(program)
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.ImportedSymbols()
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, s := range symbols {
		if version, ok := strings.CutPrefix(s.Version, "GLIBC_"); ok && older(want, version) {
			want = version
		}
	}
	if got.glibc() != want || want == "" {
		t.Errorf("glibc %q, want %q", got.glibc(), want)
	}
}

func TestNeeds(t *testing.T) {
	n := needs{"libc.so.6": {}, "libstdc++.so.6": {}, unwinder: {}, "ld-linux-x86-64.so.2": {}}
	for _, symbols := range []string{"GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.9"} {
		n.add("libc.so.6", symbols)
	}
	for _, symbols := range []string{"GLIBCXX_3.4.30", "GLIBCXX_3.4.9", "CXXABI_1.3.13"} {
		n.add("libstdc++.so.6", symbols)
	}
	want := []string{"ld-linux-x86-64.so.2()(64bit)", "libc.so.6()(64bit)", "libc.so.6(GLIBC_2.34)(64bit)", "libgcc_s.so.1()(64bit)",
		"libstdc++.so.6()(64bit)", "libstdc++.so.6(CXXABI_1.3.13)(64bit)", "libstdc++.so.6(GLIBCXX_3.4.30)(64bit)"}
	if got := n.redHat(); !slices.Equal(got, want) {
		t.Errorf("Requires %q, want %q", got, want)
	}
	if tag, err := n.manylinux(); err == nil {
		t.Errorf("tag %s of a program that needs libstdc++", tag)
	}
	if depends, err := n.debian(); err == nil {
		t.Errorf("Depends %q of a program that needs libstdc++", depends)
	}
	delete(n, "libstdc++.so.6")
	depends, err := n.debian()
	if want := []string{"libc6 (>= 2.34)", "libgcc-s1"}; err != nil || !slices.Equal(depends, want) {
		t.Errorf("Depends %q, want %q (%v)", depends, want, err)
	}
	if tag, err := n.manylinux(); err != nil || tag != "2_34" {
		t.Errorf("tag %q, %v", tag, err)
	}
	if n.add("libc.so.6", relr); n.glibc() != "2.36" {
		t.Errorf("glibc %s of a program with packed relocations", n.glibc())
	}
}

func TestLicences(t *testing.T) {
	for text, want := range map[string]string{
		"MIT License\n\nPermission is hereby granted, free of\ncharge, to any":                           "MIT",
		"Redistribution and use in source and binary forms, with":                                        "BSD-2-Clause",
		"Redistribution and use in source and binary forms … may be used to endorse or promote products": "BSD-3-Clause",
		"   Apache License\n   Version 2.0, January 2004":                                                "Apache-2.0",
		"All rights reserved.": "",
	} {
		if got := licenceOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := escaped("github.com/BurntSushi/toml"); got != "github.com/!burnt!sushi/toml" {
		t.Errorf("the module cache's name is %s", got)
	}
}

// TestSBOM: the SBOM contains each related package and relates each contained package.
func TestSBOM(t *testing.T) {
	text, err := small().sbom([]part{{name: "hindsql"}, {name: "a", version: "v1", purl: "pkg:golang/a@v1", sum: "h1:x", licence: "MIT"}})
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Packages      []struct{ SPDXID, Name string }
		Relationships []struct{ RelatedSpdxElement string }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	related := map[string]bool{}
	for _, r := range doc.Relationships {
		related[r.RelatedSpdxElement] = true
	}
	for _, p := range doc.Packages {
		if !related[p.SPDXID] {
			t.Errorf("%s is in no relationship", p.Name)
		}
		delete(related, p.SPDXID)
	}
	if len(doc.Packages) != 2 || len(related) > 0 {
		t.Errorf("%d packages, and relationships to %v", len(doc.Packages), related)
	}
}

func TestLicenceTexts(t *testing.T) {
	got := string(licences([]part{{name: "hindsql"}, {name: "a", version: "v1", licence: "MIT", texts: []string{"the text\n"}}}))
	if !strings.Contains(got, "\na v1\nMIT\n\nthe text\n") {
		t.Error(got)
	}
}
