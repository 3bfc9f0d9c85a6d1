package readers

// mount is the mount point and the device of a file system.
type mount struct{ point, device string }

// deviceIn returns a function that names the device of an absolute path without
// symbolic links. The function doesn't touch the disk, because a dead disk would not
// answer. If a mount point has several mounts, the last counts.
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
