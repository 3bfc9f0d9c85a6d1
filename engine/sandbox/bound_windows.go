package sandbox

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// bound is a job: it limits the worker's memory and prevents new processes. Windows
// ends the worker when the parent's handle, the last one, closes.
type bound struct {
	sizes
	job windows.Handle
}

// spare is memory reserved but never touched by Go at its start, in bytes.
const spare = 128 << 20

func newBound(p *os.Process, memory int64) (*bound, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	b := &bound{job: job}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY |
				windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
			ActiveProcessLimit: 1,
		},
		ProcessMemoryLimit: uintptr(memory + spare),
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		handle := p.WithHandle(func(h uintptr) { err = windows.AssignProcessToJobObject(job, windows.Handle(h)) })
		if err == nil {
			err = handle
		}
	}
	if err == nil {
		b.sizes, err = newSizes(p.Pid)
	}
	if err != nil {
		b.release()
		return nil, fmt.Errorf("job: %w", err)
	}
	return b, nil
}

func (b *bound) release() { _ = windows.CloseHandle(b.job) }
