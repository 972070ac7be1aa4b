// Package secret finds secrets in what is about to be written, however they are spelled: plain, percent-encoded once or twice,
// as entities of HTML, escaped in JSON, or within base64.
package secret
