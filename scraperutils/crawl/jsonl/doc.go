// Package jsonl keeps pages as lines of JSON, an object a page:
//
//	{"id":"…","url":"http://a.example/","final":"http://a.example/home","status":200,"at":"2026-01-02T03:04:05.678Z",
//	 "took_ms":120,"type":"text/html","attempts":1,"body":"<html>…"}
//
//	id           of the visit: the same where a page comes twice, so a reader that drops repeats by it has each once
//	url, final   as it was asked for, and after redirects on the same host
//	status       of the answer
//	at, took_ms  when it was asked for (UTC), and milliseconds until the answer was there
//	type         media type, as the answer says; "" where it says none
//	attempts     how many tries it took
//	unchanged    true where the page is as it was at the last visit; a 304 has no body
//	body         the text of the page
//	charset      what the page was in, where that is not UTF-8: body in this charset is, byte for byte, what the server sent
//	body_base64  instead of body, what is no text: the bytes as they came
//
// A text is what UTF-8 can say without loss: what is valid UTF-8, and what is in another charset, as the answer declares it or, where a
// page of type text/… declares none, as its meta tag does or browsers assume (windows-1252). A page that breaks the charset it claims is
// kept as bytes, for what a reader would see of it is a guess.
//
// It stands apart from the frontier and the worker because it is also the form of messages to a broker.
package jsonl
