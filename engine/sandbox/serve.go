package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
)

// Serve runs a worker. It sends Hello with the build, answers calls until the pipe
// ends, and returns the exit code. When the pipe ends, the process exits at once,
// without waiting for running calls.
func Serve(build string, handle Handler) int {
	in, out, err := takePipes()
	if err == nil {
		err = confine(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	hello, err := json.Marshal(Hello{Build: build, Locks: locks()})
	first := frame{head: head{Kind: kindHello, Value: hello}}
	if err == nil {
		err = first.write(out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p := newPeer(handle, false)
	go func() {
		_ = p.read(newFrames(in, 0)) // the parent is gone, whatever the error
		os.Exit(0)
	}()
	failed := make(chan error)
	go func() { failed <- p.write(out) }() // in another goroutine, because an init may lock this goroutine to a thread
	fmt.Fprintln(os.Stderr, <-failed)
	return 1
}
