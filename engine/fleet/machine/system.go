package machine

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"hindsql/internal/pattern"
	"hindsql/internal/regular"
)

// SystemID returns a function that asks the operating system for its id. system is a
// name from runtime.GOOS. isSlow means that the function runs a program.
func SystemID(system string) (ask func() string, isSlow bool) {
	switch system {
	case "darwin":
		return func() string { return inText(platformID, told("ioreg", "-rd1", "-c", "IOPlatformExpertDevice")) }, true
	case "windows":
		return func() string {
			return inText(machineGUID, told("reg", "query", `HKLM\SOFTWARE\Microsoft\Cryptography`, "/v", "MachineGuid"))
		}, true
	}
	return func() string { return inFiles("/etc/machine-id", "/var/lib/dbus/machine-id") }, false
}

var (
	platformID  = pattern.Lazy(`"IOPlatformUUID"\s*=\s*"([^"]+)"`)
	machineGUID = pattern.Lazy(`MachineGuid\s+REG_SZ\s+(\S+)`)
)

func inText(form *pattern.Pattern, text string) string {
	if m := form.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// inFiles returns the first id found in the files. "uninitialized" means that the
// system has no id yet.
func inFiles(paths ...string) string {
	for _, p := range paths {
		text, err := regular.Read(p, regular.Own)
		if id := strings.TrimSpace(string(text)); err == nil && id != "" && id != "uninitialized" {
			return id
		}
	}
	return ""
}

// told returns a system program's output, or "" if the program fails.
func told(program string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return ""
	}
	return string(out)
}
