// Package notify tells someone what a run came to: a program of the operator's, or a webhook.
//
//	Message ─▶ Deliver ─▶ Sender (Command, Webhook) ─▶ accepted, or tried again, or given up
//
// A Sender makes one try. Deliver repeats it with a back-off, as often as that may help, and ends in a limited time. What is said
// comes from a run, so from pages of others: it reaches a program as data, never as part of its command line, and a webhook as JSON.
// The address of a webhook is a secret: no error holds more of it than its host.
package notify
