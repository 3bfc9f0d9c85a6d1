package push

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/BurntSushi/toml"

	"hindsql/engine/fleet/landing"
	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
)

// Config is push.toml, the user's settings for all pushes.
type Config struct {
	Target   string   `toml:"target"`    // default target of push and pull
	Region   string   `toml:"region"`    // region of the bucket
	Endpoint string   `toml:"endpoint"`  // URL of its S3 API; empty for AWS's
	User     string   `toml:"user"`      // plain, hmac or none; empty for plain
	SaltFile string   `toml:"salt_file"` // file with the salt for hmac
	LeaveOut []string `toml:"leave_out"` // folders whose projects stay on this machine
	Text     string   `toml:"text"`      // redacted, none or plain; empty for redacted
}

// texts maps the values of Config.Text to those of package landing.
var texts = map[string]string{"": landing.Redacted, "redacted": landing.Redacted, "none": landing.NoText, "plain": landing.Plain}

// ReadConfig reads push.toml. A missing file gives an empty Config. An unknown word is
// an error, because the user may have meant to keep rows here.
func ReadConfig(path string) (c Config, err error) {
	text, err := regular.Read(path, regular.Own)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, nil
	} else if err != nil {
		return c, err
	}
	meta, err := toml.Decode(string(text), &c)
	switch {
	case err != nil:
		return c, fmt.Errorf("%s: %w", path, err)
	case len(meta.Undecoded()) > 0:
		return c, fmt.Errorf("%s: unknown key %s", path, meta.Undecoded()[0])
	}
	if _, ok := texts[c.Text]; !ok {
		return c, fmt.Errorf("%s: text %q: unknown; redacted, none or plain", path, c.Text)
	}
	if c.User != "" && c.User != UserPlain && c.User != UserHMAC && c.User != UserNone {
		return c, fmt.Errorf("%s: user %q: unknown; plain, hmac or none", path, c.User)
	}
	if c.User == UserHMAC && c.SaltFile == "" {
		return c, fmt.Errorf("%s: user \"hmac\" needs salt_file, a file that all of the company's machines have", path)
	}
	return c, nil
}

// Options returns the options of a push by this config. It reads the salt.
func (c Config) Options(home string) (o Options, err error) {
	o = Options{Home: home, Texts: texts[c.Text], Users: c.User, LeaveOut: c.LeaveOut}
	if o.Users == "" {
		o.Users = UserPlain
	}
	if o.Users == UserHMAC {
		if o.Salt, err = regular.Read(atomicfile.Long(home, c.SaltFile), regular.Own); err != nil {
			err = fmt.Errorf("salt_file: %w; the file that all of the company's machines have", err)
		}
	}
	return o, err
}
