package runlog

// What is tried by itself.
var (
	Judge       = judge
	After       = History.after
	SilentOn    = History.silentOn
	BacktraceOf = backtrace
	TypeName    = typeName
)
