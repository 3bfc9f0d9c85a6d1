package schedule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
)

// unit is a file that a scheduler reads, such as a systemd unit.
type unit struct{ path, text string }

// ours reports whether any of the files exists. It returns an error if a file exists
// that hindsql didn't write.
func ours(units []unit) (present bool, err error) {
	for _, u := range units {
		switch text, err := regular.Read(u.path, regular.Own); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return false, err
		case !strings.Contains(string(text), Mark):
			return false, fmt.Errorf("%s: not written by hindsql report install; left as it is", u.path)
		default:
			present = true
		}
	}
	return present, nil
}

// asTheyAre returns the files that exist, with their present texts, to restore them
// later.
func asTheyAre(units []unit) (list []unit) {
	for _, u := range units {
		if text, err := regular.Read(u.path, regular.Own); err == nil {
			list = append(list, unit{u.path, string(text)})
		}
	}
	return list
}

func writeUnits(units []unit) error {
	if _, err := ours(units); err != nil {
		return err
	}
	for _, u := range units {
		if err := os.MkdirAll(filepath.Dir(u.path), 0o700); err != nil {
			return err
		}
		if err := atomicfile.Write(u.path, []byte(u.text)); err != nil {
			return err
		}
	}
	return nil
}

func removeUnits(units []unit) (removed []string, err error) {
	for _, u := range units {
		if err := os.Remove(u.path); err == nil {
			removed = append(removed, u.path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return removed, err
		}
	}
	return removed, nil
}

// steps turns files into steps that write them.
func steps(units []unit) []Step {
	var steps []Step
	for _, u := range units {
		steps = append(steps, Step{File: u.path, Text: u.text})
	}
	return steps
}
