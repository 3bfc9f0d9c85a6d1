package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// peak returns the most memory that a finished program had.
func peak(state *os.ProcessState) int64 { return state.SysUsage().(*syscall.Rusage).Maxrss * 1024 }

// clocks returns the processor time and the peak memory of a running program, of the
// programs that it started, and of those that ended before.
func clocks(pid int) (usage, error) {
	cpu, err := clock(pid)
	if err != nil {
		return usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	sum := usage{cpu: cpu + reaped(pid), memory: highWater(pid)}
	for _, child := range children(pid) {
		if used, err := clocks(child); err == nil { // else it ended in between
			sum.cpu += used.cpu
			sum.memory += used.memory
		}
	}
	return sum, nil
}

// clock reads the processor time of a process. /proc/PID/stat has ticks of 10 ms, this
// clock nanoseconds.
func clock(pid int) (time.Duration, error) {
	const cpuClockOfAllThreads = 2 // the kernel's CPUCLOCK_SCHED
	var t syscall.Timespec
	id := uintptr(uint32(int32(^pid<<3 | cpuClockOfAllThreads)))
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		return 0, errno
	}
	return time.Duration(t.Nano()), nil
}

// reaped returns the processor time of a process's ended children, in ticks of 10 ms.
func reaped(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ") // the name before may have spaces
	fields := strings.Fields(rest)
	const user, system = 13, 14 // cutime and cstime, counted from the state
	if len(fields) <= system {
		return 0
	}
	a, _ := strconv.ParseInt(fields[user], 10, 64)
	b, _ := strconv.ParseInt(fields[system], 10, 64)
	return time.Duration(a+b) * 10 * time.Millisecond
}

var highWaterLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

func highWater(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if m := highWaterLine.FindSubmatch(text); m != nil {
		n, _ := strconv.ParseInt(string(m[1]), 10, 64)
		return n * 1024
	}
	return 0
}

// children returns the processes that a process's threads started.
func children(pid int) []int {
	folder := fmt.Sprintf("/proc/%d/task", pid)
	threads, _ := os.ReadDir(folder)
	var list []int
	for _, thread := range threads {
		text, _ := os.ReadFile(folder + "/" + thread.Name() + "/children")
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				list = append(list, child)
			}
		}
	}
	return list
}
