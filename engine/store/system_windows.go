package store

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

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

// devices lists the names that Windows keeps for devices, in every folder and with any
// extension: "Naming Files, Paths, and Namespaces" in Microsoft's documentation.
var devices = strings.Fields("con prn aux nul conin$ conout$ com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9")

// isDevice reports whether Windows keeps the name of a file for a device.
func isDevice(path string) bool {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return slices.Contains(devices, strings.ToLower(strings.TrimRight(name, " ")))
}

// IsOpenToOthers reports whether all users, or all of this machine, may change files in
// the store's folder. Files in a user's profile are protected by the profile's access list; on
// other disks, new folders often aren't. It returns false if Windows doesn't tell.
func (f File) IsOpenToOthers() bool {
	d, err := windows.GetNamedSecurityInfo(filepath.Dir(f.Path), windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return false
	}
	list, _, err := d.DACL()
	if err != nil {
		return false
	}
	if list == nil {
		return true // no list protects the folder
	}
	const write = windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.GENERIC_WRITE | windows.GENERIC_ALL
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if windows.GetAce(list, i, &entry) != nil || entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || entry.Mask&write == 0 {
			continue
		}
		who := (*windows.SID)(unsafe.Pointer(&entry.SidStart))
		for _, group := range []windows.WELL_KNOWN_SID_TYPE{windows.WinWorldSid, windows.WinAuthenticatedUserSid, windows.WinBuiltinUsersSid} {
			if who.IsWellKnown(group) {
				return true
			}
		}
	}
	return false
}
