package store

import (
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

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
