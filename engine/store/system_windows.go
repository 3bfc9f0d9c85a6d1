package store

import "syscall"

// sharesByMode: whoever opens a file says whether others may open it, too.
const sharesByMode = true

// Windows' codes for disks that refuse a write, see "System Error Codes" in Microsoft's
// documentation.
var diskRefusals = []refusal{
	{syscall.Errno(19), "media is write protected", "the disk is write-protected"}, // ERROR_WRITE_PROTECT
	{syscall.Errno(39), "disk is full", "the disk is full"},                        // ERROR_HANDLE_DISK_FULL
	{syscall.Errno(112), "not enough space on the disk", "the disk is full"},       // ERROR_DISK_FULL
	{syscall.Errno(1295), "quota", "the disk's quota is used up"},                  // ERROR_DISK_QUOTA_EXCEEDED
}
