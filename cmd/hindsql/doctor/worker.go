package doctor

import (
	"context"
	"strings"

	"hindsql/engine"
)

// Worker reports whether SQL of others can run on this machine, and which locks the
// operating system puts on the worker.
func Worker(ctx context.Context) Finding {
	locks, err := engine.Locks(ctx)
	if err != nil {
		what, next, _ := strings.Cut(err.Error(), "; ")
		return Finding{Broken, "worker", what, next}
	}
	return toldOf(locks)
}

func toldOf(locks []engine.Lock) Finding {
	var holds, missing []string
	for _, lock := range locks {
		if lock.Missing == "" {
			holds = append(holds, lock.Name)
		} else {
			missing = append(missing, lock.Name+": "+lock.Missing)
		}
	}
	f := Finding{OK, "worker", "SQL of others runs in a process of its own", ""}
	switch {
	case holds != nil:
		f.What += ", which the system keeps from " + strings.Join(holds, ", ")
	case missing == nil:
		f.What += "; this system has no more locks for it"
	}
	if missing != nil {
		f.State, f.Do = Look, "Linux 6.7 and later has all of these, unless it was built or started without"
		f.What += "; not from " + strings.Join(missing, ", ")
	}
	return f
}
