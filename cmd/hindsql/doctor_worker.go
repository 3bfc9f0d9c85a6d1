package main

import (
	"context"
	"strings"

	"hindsql/engine"
)

// lookAtWorker tells whether SQL of others can run here, and what the system keeps
// it from.
func lookAtWorker(ctx context.Context) finding {
	locks, err := engine.Locks(ctx)
	if err != nil {
		what, next, _ := strings.Cut(err.Error(), "; ")
		return finding{stateBroken, "worker", what, next}
	}
	return toldOf(locks)
}

func toldOf(locks []engine.Lock) finding {
	var holds, missing []string
	for _, lock := range locks {
		if lock.Missing == "" {
			holds = append(holds, lock.Name)
		} else {
			missing = append(missing, lock.Name+": "+lock.Missing)
		}
	}
	f := finding{stateOK, "worker", "SQL of others runs in a process of its own", ""}
	switch {
	case holds != nil:
		f.what += ", which the system keeps from " + strings.Join(holds, ", ")
	case missing == nil:
		f.what += "; this system has no more locks for it"
	}
	if missing != nil {
		f.state, f.do = stateLook, "Linux 6.7 and later has all of these, unless it was built or started without"
		f.what += "; not from " + strings.Join(missing, ", ")
	}
	return f
}
