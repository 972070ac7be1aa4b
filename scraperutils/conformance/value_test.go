package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A value is one of JSON that keeps the order of members, which counts for some cases.
type value struct {
	plain    any // of those that have no parts: nil, bool, string, json.Number
	list     []*value
	object   []member
	isList   bool
	isObject bool
}

type member struct {
	name  string
	value *value
}

// readValue reads a value that is known to be JSON.
func readValue(text []byte) *value {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return nextValue(d)
}

func nextValue(d *json.Decoder) *value {
	token, err := d.Token()
	if err != nil {
		panic(err)
	}
	v := &value{plain: token, isList: token == json.Delim('['), isObject: token == json.Delim('{')}
	for (v.isList || v.isObject) && d.More() {
		if v.isList {
			v.list = append(v.list, nextValue(d))
			continue
		}
		name, err := d.Token()
		if err != nil {
			panic(err)
		}
		v.object = append(v.object, member{name.(string), nextValue(d)})
	}
	if v.isList || v.isObject {
		v.plain = nil
		if _, err := d.Token(); err != nil {
			panic(err)
		}
	}
	return v
}

// text writes the value.
func (v *value) text() json.RawMessage {
	var parts []string
	switch {
	case v.isList:
		for _, part := range v.list {
			parts = append(parts, string(part.text()))
		}
		return json.RawMessage("[" + strings.Join(parts, ",") + "]")
	case v.isObject:
		for _, m := range v.object {
			parts = append(parts, string((&value{plain: m.name}).text())+":"+string(m.value.text()))
		}
		return json.RawMessage("{" + strings.Join(parts, ",") + "}")
	}
	text, err := json.Marshal(v.plain)
	if err != nil {
		panic(err)
	}
	return text
}

// zero reports whether a member with this value says as much as none.
func (v *value) zero() bool {
	return slices.Contains([]string{"null", "false", "0", "0.0", `""`, "[]", "{}"}, string(v.text()))
}

// unexpected are the members of an outcome that nobody has to expect: what the gem did where it was wrong.
var unexpected = []string{"upstream"}

// mutate calls change with each change of the value and of what is in it.
func (v *value) mutate(path string, change func(what string, change func() (undo func()))) {
	replace := func(how string, by value) {
		before := *v
		change(fmt.Sprintf("%s %s: %s", path, how, by.text()), func() func() {
			*v = by
			return func() { *v = before }
		})
	}
	mutant := &value{plain: "mutant"}
	switch plain := v.plain.(type) {
	case string:
		runes := []rune(plain)
		middle := len(runes) / 2
		replace("begins otherwise", value{plain: "~" + plain})
		replace("goes on otherwise", value{plain: string(runes[:middle]) + "~" + string(runes[middle:])})
		replace("ends otherwise", value{plain: plain + "~"})
		return
	case json.Number:
		replace("is more", value{plain: json.Number(more(string(plain)))})
		return
	case bool:
		replace("is otherwise", value{plain: !plain})
		return
	}
	switch {
	case v.isList:
		for i, part := range v.list {
			part.mutate(path+"/"+strconv.Itoa(i), change)
		}
		replace("has one more", value{isList: true, list: append(slices.Clone(v.list), mutant)})
		if n := len(v.list); n > 0 {
			replace("lacks its last", value{isList: true, list: v.list[:n-1]})
			replace("has its last twice", value{isList: true, list: append(slices.Clone(v.list), v.list[n-1])})
		}
	case v.isObject:
		for i, m := range v.object {
			if !slices.Contains(unexpected, m.name) {
				m.value.mutate(path+"/"+m.name, change)
				if !m.value.zero() {
					replace("lacks "+m.name, value{isObject: true, object: slices.Delete(slices.Clone(v.object), i, i+1)})
				}
			}
		}
		replace("has one more", value{isObject: true, object: append(slices.Clone(v.object), member{"mutant", mutant})})
	default:
		replace("is not null", *mutant)
	}
}

// more is a number that is greater by three in its last place, or by one where it is whole.
func more(number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		return strconv.FormatInt(n+1, 10)
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || strings.ContainsAny(number, "eE") || strings.Trim(fraction, "0") == "" {
		return whole + ".3"
	}
	step, _ := strconv.ParseFloat("3e-"+strconv.Itoa(len(fraction)), 64)
	return strconv.FormatFloat(n+step, 'f', len(fraction), 64)
}
