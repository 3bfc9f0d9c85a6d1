package planted

import "testing"

func TestDarwin(t *testing.T) {
	t.Log(1 + everywhere.x)
}
