package launch

// #include "launch.h"
import "C"

import (
	"syscall"
	"time"
)

// Started returns when this process was started: when its program was loaded, so that a script that hands over to it by exec does not
// count.
func Started() time.Time {
	return time.Now().Add(-time.Duration(float64(C.launch_age()) * float64(time.Second)))
}

// Ignored tells whether the process was started with a signal ignored, as nohup does with SIGHUP.
func Ignored(signal syscall.Signal) bool { return C.launch_ignored(C.int(signal)) != 0 }
