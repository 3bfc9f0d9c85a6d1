// Package native calls C, and has an error beside it.
package native

// int one(void);
import "C"

var one = C.one()

var wrong string = 1
