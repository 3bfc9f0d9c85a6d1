package atomicfile

import (
	"os"
	"time"
)

// busyPatience is how long Rename and Remove wait for another program. Virus scanners
// and indexers open a new file for a moment.
const busyPatience = 2 * time.Second

// Rename is os.Rename. On Windows, it waits up to two seconds while another program has
// one of the files open.
func Rename(from, to string) error {
	return patiently(func() error { return os.Rename(from, to) })
}

// Remove is os.Remove. On Windows, it waits up to two seconds while another program has
// the file open.
func Remove(path string) error {
	return patiently(func() error { return os.Remove(path) })
}

// patiently calls try until it returns no error of [IsBusy], or the patience runs out.
func patiently(try func() error) error {
	err := try()
	if !IsBusy(err) {
		return err
	}
	until := time.Now().Add(busyPatience)
	for wait := time.Millisecond; IsBusy(err) && time.Now().Before(until); wait = min(2*wait, 50*time.Millisecond) {
		time.Sleep(wait)
		err = try()
	}
	return err
}
