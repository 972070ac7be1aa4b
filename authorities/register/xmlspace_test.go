package register_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/register"
)

func TestLineEndsInXML(t *testing.T) {
	for name, c := range map[string]struct{ xml, attribute, text string }{
		"in an attribute they are spaces":   {"<a x=\"1\n2\t3\r\n4\r5\"/>", "1 2 3 4 5", ""},
		"in single quotes too":              {"<a x = '1\n2'/>", "1 2", ""},
		"a reference to one stays":          {"<a x='1&#10;2&#9;3'/>", "1\n2\t3", ""},
		"in text they stay":                 {"<a>1\n2\t3</a>", "", "1\n2\t3"},
		"in text with quotes they stay":     {"<a>x=\"1\n2\" &lt;b y='3\n4'&gt;</a>", "", "x=\"1\n2\" <b y='3\n4'>"},
		"in a section they stay":            {"<a><![CDATA[<b x='1\n2'>]]></a>", "", "<b x='1\n2'>"},
		"after a comment":                   {"<!-- it's <b x='\n --><a x='1\n2'/>", "1 2", ""},
		"after an instruction":              {"<?xml version='1.0'\n?><!DOCTYPE a><a x='1\n2'/>", "1 2", ""},
		"with the other quote and brackets": {"<a x='\"\n>\n'>1\n2</a>", "\" > ", "1\n2"},
		"without quotes":                    {"<a x=its>1\n'2\n'</a>", "its", "1\n'2\n'"},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := register.ParseXML(c.xml)
			require.NoError(t, err)
			assert.Equal(t, c.attribute, root.Attribute("x"))
			assert.Equal(t, c.text, root.Text)
		})
	}
}
