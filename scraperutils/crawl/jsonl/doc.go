// Package jsonl writes pages as lines of JSON, one object per page:
//
//	{"id":"…","url":"http://a.example/","final":"http://a.example/home","status":200,"at":"2026-01-02T03:04:05.678Z",
//	 "took_ms":120,"type":"text/html","attempts":1,"body":"<html>…"}
//
//	id           of the visit; if a page comes twice, both have the same, so a reader can drop repeats
//	url, final   as requested, and after redirects on the same host
//	status       of the answer
//	at, took_ms  when it was requested (UTC), and milliseconds until the answer arrived
//	type         the media type that the answer declares, or ""
//	attempts     how many tries it took
//	unchanged    true if the page has not changed since the last visit; a 304 has no body
//	body         the text of the page
//	charset      of the page, if it was not UTF-8: body in this charset is, byte for byte, what the server sent
//	body_base64  instead of body, if that is not text: the bytes as received
//
// A body is text if UTF-8 can represent it without loss: if it is valid UTF-8, or is in another charset that the answer declares. If a
// page of type text/… declares no charset, that of its meta tag counts, or the one that browsers assume (windows-1252). A page that
// breaks the charset that it claims is kept as bytes, because what a reader would see of it is a guess.
//
// The package is separate from the frontier and the worker because messages to a broker have the same form.
package jsonl
