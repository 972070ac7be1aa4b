package dates

var (
	Position      = position
	ErrEmptyCycle = errEmptyCycle
)

func (p Plan) MaxPeriodUsed() int { return p.maxPeriodUsed() }
