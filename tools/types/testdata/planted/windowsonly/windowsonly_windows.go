// Package windowsonly has no file for other systems.
package windowsonly
