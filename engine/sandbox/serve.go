package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
)

// Serve is a worker's life. It says Hello with the build, answers calls until the
// pipe ends, and gives the exit code. Whatever runs when the pipe ends is left as
// it is: the process exits at once.
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
		_ = p.read(newFrames(in, 0)) // however it ends, nobody is there any more
		os.Exit(0)
	}()
	failed := make(chan error)
	go func() { failed <- p.write(out) }() // not from here, which an init may lock to a thread
	fmt.Fprintln(os.Stderr, <-failed)
	return 1
}
