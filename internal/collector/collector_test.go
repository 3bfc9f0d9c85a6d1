package collector

import (
	"runtime/debug"
	"testing"
)

// TestLoad checks that overlapping loads hold one weight, and that the last to end frees
// it and brings the percentage back.
func TestLoad(t *testing.T) {
	was := isSet
	isSet = true
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	defer func() { isSet = was }()
	first := Load()
	second := Load()
	first()
	first() // counts once
	if got := debug.SetGCPercent(loadPercent); got != loadPercent || len(loading.weight) != loadWeight {
		t.Errorf("during a load: %d %%, a weight of %d bytes", got, len(loading.weight))
	}
	second()
	if got := debug.SetGCPercent(percent); got != percent || loading.weight != nil {
		t.Errorf("after all loads: %d %%, a weight of %d bytes", got, len(loading.weight))
	}
}

// TestLoadOfUser checks that a percentage that the user set stays.
func TestLoadOfUser(t *testing.T) {
	was := isSet
	isSet = false
	defer func() { isSet = was }()
	defer Load()()
	if loading.weight != nil {
		t.Error("a load took a weight, although the user decides")
	}
}
