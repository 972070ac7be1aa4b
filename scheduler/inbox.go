package scheduler

// inboxSize is how many messages may wait for the loop before their senders do. Room is cheaper than senders that wait: many
// answers may come at once.
const inboxSize = 1024

// message is what reaches the loop. All messages share one channel, because each more makes a select dearer: it was the dearest part
// of a turn.
type message struct {
	kind    messageKind
	settled bool       // with messageAnswer: the saves are committed, no messageSettled follows
	op      *operation // of all up to messageRetired
	seq     int        // of messageAnswer and messageSettled: the call's
	err     error      // of messageEnd: what the scraper returned; of messageSettled and messageRetired: why saves are not durable
	command func()     // of messageCommand
}

type messageKind uint8

const (
	// From a scraper.
	messageCall       messageKind = iota // the operation's next call, and with it the turn
	messageWithdrawal                    // the context of the request has ended
	messageEnd                           // the scraper has returned

	// From its I/O goroutine.
	messageAnswer  // what came of a call, in the operation's outcome
	messageSettled // the saves up to that answer are committed
	messageRetired // the saves up to the end are committed; the I/O goroutine is gone

	// From others.
	messageCommand // to be run by the loop
	messageWake    // nothing but time has passed, or the run's context has ended
)

// post hands a message to the loop. The message is lost if the loop no longer listens.
func (l *loop) post(m message) {
	select {
	case l.inbox <- m:
	default:
		l.postLater(m)
	}
}

// postLater waits for room. It stands apart, as other rare selects do, because of what they take of a stack: with them on the way
// of each request an operation would need twice the memory.
func (l *loop) postLater(m message) {
	select {
	case l.inbox <- m:
	case <-l.done:
	}
}

// nudge makes the loop take a step. Where messages wait it will, without being told.
func (l *loop) nudge() {
	select {
	case l.inbox <- message{kind: messageWake}:
	default:
	}
}
