// Package push lands a machine's own rows at a target for other machines. It sends the
// rows changed since the last push, and then the manifest of the live files.
//
// In: a session of the engine, a target of package landing, and options. Out: files
// below the machine's prefix, and a local state that tells the next push what changed.
// Rows of other machines and of private projects never leave. The package writes
// nothing to the store.
package push

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/BurntSushi/toml"

	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/engine/fleet/landing"
	"hindsql/engine/store"
	"hindsql/internal/atomicfile"
	"hindsql/internal/lockfile"
	"hindsql/internal/regular"
	"hindsql/tables"
)

// The ways to push the column user.
const (
	UserPlain = "plain"
	UserHMAC  = "hmac" // HMAC-SHA256 by the salt, in hexadecimal digits
	UserNone  = "none" // null
)

// Options choose the rows of a push, and its target.
type Options struct {
	Target     *landing.Target
	State      string // folder of the local state; created if missing
	Home       string // folder for ~ in projects; empty if unknown
	Texts      string // landing.Redacted, landing.NoText or landing.Plain
	Users      string // UserPlain, UserHMAC or UserNone
	Salt       []byte // for UserHMAC
	LeaveOut   []string
	Redact     export.Redactor // nil only for landing.Plain
	Program    string          // version of hindsql
	Progress   func(export.Progress)
	MostSorted int64 // most rows to sort at once, unless a day has more; 0 for 50,000

	DryRun   bool // only report what would leave
	TakeOver bool // continue after another machine pushed with this id
	Consent  bool // push again after the machine was forgotten

	Now func() time.Time // nil for the clock
}

// pushing is one push.
type pushing struct {
	Options
	st      *engine.Store
	machine string
	prefix  string
	private *privacy
	was     *state            // state of the last push; never nil
	base    *landing.Manifest // manifest of the files known to lie at the target; nil if unknown
	seen    string            // sum of the target's manifest; empty if missing or unreadable
	consent string
	last    int64 // highest known generation
	report  Report
	started time.Time
}

// Run pushes the store's rows of this machine. An interrupted push leaves the former
// manifest, or the new manifest with all its files.
func Run(ctx context.Context, s *engine.Session, o Options) (Report, error) {
	p, unlock, err := begin(ctx, s.Store(), o)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	err = p.run(ctx, s)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	p.report.Elapsed = time.Since(p.started)
	return p.report, err
}

// begin waits for other pushes of the machine to the target, and reads the state of the
// last push.
func begin(ctx context.Context, st *engine.Store, o Options) (p *pushing, unlock func(), err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	p = &pushing{Options: o, st: st, machine: st.Machine(), started: time.Now()}
	if err := p.check(); err != nil {
		return nil, nil, err
	}
	if p.prefix, err = landing.Prefix(p.machine); err != nil {
		return nil, nil, err
	}
	if err := makeFolder(o.State); err != nil {
		return nil, nil, err
	}
	lock, err := lockfile.New(p.statePath() + ".lock")
	if err != nil {
		return nil, nil, err
	}
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", lock.Path(), err)
	}
	unlock = func() { _ = lock.Close() }
	if p.was, err = readState(p.statePath()); err == nil && p.was.Machine != p.machine {
		p.was = newState(p.machine)
	}
	if err != nil {
		unlock()
		return nil, nil, err
	}
	return p, unlock, nil
}

func (o *Options) check() error {
	switch {
	case o.Texts != landing.Redacted && o.Texts != landing.NoText && o.Texts != landing.Plain:
		return fmt.Errorf("text %q: unknown; redacted, none or plain", o.Texts)
	case o.Users != UserPlain && o.Users != UserHMAC && o.Users != UserNone:
		return fmt.Errorf("user %q: unknown; plain, hmac or none", o.Users)
	case o.Users == UserHMAC && len(o.Salt) < leastSalt:
		return fmt.Errorf("user \"hmac\": the salt has %d bytes; at least %d, in salt_file", len(o.Salt), leastSalt)
	}
	return nil
}

// leastSalt is the shortest salt allowed, in bytes. An attacker could guess a shorter
// salt.
const leastSalt = 16

func (p *pushing) run(ctx context.Context, s *engine.Session) (err error) {
	if p.Texts != landing.Plain && p.Redact == nil {
		return fmt.Errorf("text %q: nobody to redact", p.Texts)
	}
	if err := p.readTarget(ctx); err != nil {
		return err
	}
	if p.private, err = readPrivacy(filepath.Join(p.State, privateName), p.Home, p.LeaveOut); err != nil {
		return err
	}
	p.private.decide(p.was.Projects, p.was.Repositories)
	if p.isUnchanged() {
		p.report.Unchanged = true
		p.report.tables(p.was.Manifest)
		p.report.LeftOut, p.report.Unnamed = p.private.leftOut(p.was.Projects), p.was.Unnamed
		return p.deleteIfUnchanged(ctx, p.was.Manifest)
	}
	if err := p.findLost(ctx); err != nil {
		return err
	}
	folder, drop, err := store.Scratch("push")
	if err != nil {
		return err
	}
	defer drop()
	m := &making{pushing: p, next: newState(p.machine), files: &shipment{folder: folder, base: p.base, files: map[string]*newFile{}}, sending: p.startSending(ctx)}
	defer m.sending.end()
	defer m.sending.stop() // first: files that wait are not sent any more
	if err := s.ReadStored(ctx, func(r *engine.Reading) error { m.Reading = r; return m.makeItems(ctx) }); err != nil {
		return err
	}
	return m.publish(ctx)
}

// isUnchanged reports whether nothing can have changed since the last push. It reads no
// rows.
func (p *pushing) isUnchanged() bool {
	w := p.was
	return w.Manifest != nil && p.base == w.Manifest && !w.isCutOff && w.Consent == p.consent && w.Options == p.options() &&
		w.Mark != "" && w.Mark == p.st.Mark() && w.Private == p.private.digest(w.Projects)
}

// options returns a hash of everything besides the logs that changes the landed rows.
func (p *pushing) options() string {
	return digest(append([]string{tables.SchemaHash(), p.Texts, p.rules(), p.Users, p.machine, p.st.Hostname(), p.Program}, string(p.Salt))...)
}

// rules returns the name of the redaction rules, empty for plain texts.
func (o *Options) rules() string {
	if o.Texts == landing.Plain {
		return ""
	}
	return o.Redact.Rules()
}

func (p *pushing) reportProgress(what string, done, total int) {
	if p.Progress != nil {
		p.Progress(export.Progress{Name: what, Done: done, Total: total})
	}
}

// digest returns a hash of texts, in hexadecimal digits.
func digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d:%s\n", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

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
