package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// described matches the output of git describe --long, with or without a tag.
var described = regexp.MustCompile(`^(?:v?(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+?)?-(\d+)-g)?([0-9a-f]+)(-dirty)?$`)

// semver returns the semantic version of a commit. A commit after a tag, or with
// changes, is a pre-release of the next patch: it sorts after the tag and before that
// patch in every packager. Without a tag, the version contains the number of all
// commits.
func semver(describe string, commits int) (string, error) {
	m := described.FindStringSubmatch(describe)
	if m == nil {
		return "", fmt.Errorf("git describe: %q is no version", describe)
	}
	core, since := "0.1.0", strconv.Itoa(commits)
	if m[1] != "" {
		if m[5] == "0" && m[7] == "" {
			return m[1] + "." + m[2] + "." + m[3] + m[4], nil
		}
		patch, err := strconv.Atoi(m[3])
		if err != nil {
			return "", err
		}
		core, since = fmt.Sprintf("%s.%s.%d", m[1], m[2], patch+1), m[5]
	}
	return core + "-dev." + since + "+g" + m[6] + strings.Replace(m[7], "-", ".", 1), nil
}

// parts matches the parts of a semantic version.
var parts = regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$`)

// stages matches Python's names of pre-releases. Other names have no place in Python's
// order.
var stages = regexp.MustCompile(`^(alpha|beta|rc|dev)\.(\d+)$`)

// pep440 returns a semantic version in Python's form: 0.1.0.dev7+gabc, 1.0.0rc1.
func pep440(version string) (string, error) {
	m := parts.FindStringSubmatch(version)
	if m == nil {
		return "", fmt.Errorf("version %q is not semantic, such as 1.2.3 or 1.2.3-rc.1", version)
	}
	text := m[1]
	if m[2] != "" {
		stage := stages.FindStringSubmatch(m[2])
		if stage == nil {
			return "", fmt.Errorf("version %q: Python knows alpha.N, beta.N, rc.N and dev.N, not %q", version, m[2])
		}
		text += map[string]string{"alpha": "a", "beta": "b", "rc": "rc", "dev": ".dev"}[stage[1]] + stage[2]
	}
	if m[3] != "" {
		text += "+" + strings.ReplaceAll(strings.ToLower(m[3]), "-", ".")
	}
	return text, nil
}
