//go:build !windows

package planted

func only() int { return 1 }
