//go:build !linux

package readers

func list(l *lane, folder string, wanted func(name string) bool) ([]entry, error) {
	return listPortably(l, folder, wanted)
}
