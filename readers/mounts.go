package readers

// mount is a file system, and where it is mounted.
type mount struct{ point, device string }

// deviceIn gives a function that names the device of an absolute path without
// symbolic links. It calls no disk: a dead disk would not answer. Of mounts at
// one point the last counts.
func deviceIn(mounts []mount) func(path string) string {
	return func(path string) string {
		best := mount{}
		for _, m := range mounts {
			if isBelow(m.point, path) && len(m.point) >= len(best.point) {
				best = m
			}
		}
		return best.device
	}
}
