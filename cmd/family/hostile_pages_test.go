package family

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
)

const (
	gridHead   = `<table class=grid><tr><th>ID<th>Lodged<th>Description<th>Address`
	nextPage   = gridHead + `<tr><td>{N}<td>1/2/2019<td>Shed<td>1 High St, Town NSW 2000<tr class=pagerRow><td><span>1</span><a href="javascript:__doPostBack('a','b')">2</a></table>`
	civicaForm = `<form id=daEnquiryForm><input name=dateFrom><input name=dateTo></form>`
)

var hostilePages = []hostilePage{
	// Trees.
	{name: "cells", row: rowTechnologyOne, body: full("<table class=grid><tr>", "<td>", ""), want: "more than", quick: true},
	{name: "list of 140000 rows", row: rowTechnologyOne, body: numbered(12, gridHead, "<tr><td>DA/%d<td>1/2/2019<td>Shed<td>1 High St, Town NSW 2000", ""), want: "more than"},
	{name: "rows below the limit", row: rowTechnologyOne, body: times(38000, gridHead, "<tr><td>DA/1<td>1/2/2019<td>Shed<td>1 High St, Town NSW 2000", ""), want: ""},
	{name: "attributes of one element", row: rowTechnologyOne, body: numbered(20, "<p ", "a%d ", ">"), want: "more than"},
	{name: "attributes below the limit", row: rowTechnologyOne, body: numbered(2, "<p ", "a%d ", ">"), want: "table.grid"},
	{name: "attributes of the body", row: rowTechnologyOne, body: numbered(20, "", "<body a%d>", ""), want: "more than"},
	{name: "fewer attributes of the body", row: rowTechnologyOne, body: numbered(2, "", "<body a%d>", ""), want: "more than", quick: true},
	{name: "one huge attribute", row: rowTechnologyOne, body: full("<p title='", "x", "'>"), want: "more than"},
	{name: "one huge text", row: rowTechnologyOne, body: full("<p>", "x", ""), want: "more than", quick: true},
	{name: "text below the limit", row: rowTechnologyOne, body: times(10<<20-100, "<p>", "x", ""), want: "table.grid"},
	{name: "line ends", row: rowTechnologyOne, body: times(9_500_000, "<p>", "\n", ""), want: "table.grid"},
	{name: "spaces", row: rowTechnologyOne, body: full("<p>", " x", ""), want: "more than"},
	{name: "ampersands", row: rowTechnologyOne, body: full("<p>", "&a", ""), want: "more than"},
	{name: "references", row: rowTechnologyOne, body: full("<p>", "&amp;", ""), want: "more than"},
	{name: "comments", row: rowTechnologyOne, body: full("<p>", "<!---->", ""), want: "more than"},
	{name: "open comment", row: rowTechnologyOne, body: full("<p><!--", "<!--", ""), want: "more than"},
	{name: "lesser-than signs", row: rowTechnologyOne, body: full("<p>", "<", ""), want: "more than"},
	{name: "script", row: rowTechnologyOne, body: full("<script>", "</", ""), want: "more than"},
	// Nesting.
	{name: "deep", row: rowTechnologyOne, body: full("", "<div>", ""), want: "more than"},
	{name: "deep below the limit", row: rowTechnologyOne, body: times(190000, "", "<div>", ""), want: "512"},
	{name: "formatting", row: rowTechnologyOne, body: full("", "<b>", ""), want: "more than"},
	{name: "formatting below the limit", row: rowTechnologyOne, body: times(190000, "", "<b>", ""), want: "more than"},
	{name: "formatting copied", row: rowTechnologyOne, body: joinedBodies(numberedTimes(450, "<p>", "<b id=%d>", ""), times(5000, "", "<p>x", "")), want: "more than", quick: true},
	{name: "formatting copied out of sight", row: rowTechnologyOne, body: joinedBodies(numberedTimes(450, "<p>", "<b id=%d>", ""), times(1, "<table><tr><td>", strings.Repeat("</b>", 450), "</table>"), times(20000, "", "<p>x", "")), want: "more than"},
	{name: "formatting with attributes", row: rowTechnologyOne, body: joinedBodies(numbered(1, "<p><b ", "a%d ", ">"), times(5000, "", "<p>x", "")), want: "more than"},
	{name: "links in links", row: rowTechnologyOne, body: full("", "<a href=1>", ""), want: "more than"},
	{name: "links in links below the limit", row: rowTechnologyOne, body: times(190000, "", "<a href=1>", ""), want: "table.grid"},
	{name: "links around blocks", row: rowTechnologyOne, body: times(95000, "", "<a href=1><p>", ""), want: "table.grid"},
	{name: "tables in tables", row: rowTechnologyOne, body: times(190000, "", "<table>", ""), want: "table.grid"},
	{name: "foster parents", row: rowTechnologyOne, body: times(95000, "<table>", "x<tr>", ""), want: "table.grid"},
	{name: "foster parents of formatting", row: rowTechnologyOne, body: times(95000, "<table>", "<b>x</b>", ""), want: "table.grid"},
	{name: "selects", row: rowMasterView, body: times(95000, "<form id=aspnetForm>", "<select><option>", ""), want: "table.rgMasterTable"},
	{name: "options", row: rowCivica, body: full("<form id=daEnquiryForm><select>", "<option>", ""), want: "more than"},
	{name: "options below the limit", row: rowCivica, body: times(190000, "<form id=daEnquiryForm><select multiple>", "<option selected>", ""), want: "dateFrom"},
	{name: "fields", row: rowCivica, body: numbered(20, "<form id=daEnquiryForm>", "<input name=a%d>", ""), want: "more than"},
	{name: "fields below the limit", row: rowCivica, body: numberedTimes(190000, "<form id=daEnquiryForm>", "<input name=a%d>", ""), want: "dateFrom"},
	{name: "fields deep down", row: rowCivica, body: joinedBodies(times(400, "<form id=daEnquiryForm>", "<div>", ""), times(190000, "", "<input>", "")), want: "dateFrom"},
	{name: "forms", row: rowMasterView, body: times(95000, "", "<form></form>", ""), want: "table.rgMasterTable"},
	{name: "links", row: rowMasterView, body: times(95000, "<table class=rgMasterTable><tr><th>Link<th>Number<tr><td>", "<a href=#></a>", "<td>1"), want: ""},
	{name: "siblings", row: rowCivica, body: times(95000, "", "<div></div>", ""), want: "daEnquiryForm"},
	{name: "siblings of a list", row: rowCivica, body: times(95000, civicaForm, "<div></div>", ""), want: "div.bodypanel"},
	{name: "tables around text", row: rowMasterView, body: joinedBodies(times(120, "", "<table><tr><td>", ""), times(9<<20, "", "x", "")), want: "column link"},
	{name: "labels around text", row: rowMasterView + ", force_detail: true", body: joinedBodies(times(1, `<table class=rgMasterTable><tr><th>Link<th>Number<tr><td><a href=d>1</a><td>1</table><h2 id=details></h2>`, "", ""), times(120, "<div>", "<table><tr><td>", ""), times(9<<20, "", "x", "")), want: ""},
	{name: "headings", row: rowTechnologyOne, body: numberedTimes(190000, "<table class=grid><tr>", "<th>heading %d", ""), want: "column council_reference"},
	{name: "panels in panels", row: rowEPathway, body: joinedBodies(times(120, "<input type=radio>", "<table class=ContentPanel><tr class=ContentPanel><td>", ""), times(60000, "<table>", "<tr class=ContentPanel><td>x", "")), want: "column council_reference"},
	{name: "one huge link", row: rowMasterView + ", force_detail: true", body: full(`<table class=rgMasterTable><tr><th>Link<th>Number<tr><td><a href="`, "x", `">1</a><td>1</table>`), want: "more than"},
	{name: "a link of 1 MB", row: rowMasterView + ", force_detail: true", body: times(1<<20, `<table class=rgMasterTable><tr><th>Link<th>Number<tr><td><a href="`, "x", `">1</a><td>1</table>`), want: ""},
	{name: "script that leads on", row: rowEPathway, body: times(400000, "", "window.location.href='", ""), want: ""},
	{name: "choice of many lists", row: rowEPathway, body: joinedBodies(times(60000, "<form><input type=submit value=Next><table><tr><td>", "<input type=radio>", "<td>"), times(7<<20, "", "x", "")), want: "list of all applications"},
	{name: "spans in spans", row: rowEPathway + ", force_detail: true", body: joinedBodies(times(1, "<input type=radio><table class=ContentPanel><tr class=ContentPanelHeading><th>Number<tr class=ContentPanel><td><a href=d>{N}</a></table>", "", ""), times(480, "", "<span>", ""), times(1<<20, "", "Applicat", "")), want: ""},
	{name: "headings around lines", row: rowCivica, body: joinedBodies(times(1, civicaForm+"<div class=bodypanel></div><div>", "", ""), times(480, "", "<h4><a href=1>1</a></h4><div>", ""), times(90000, "", "<p>x", "")), want: "more than"},
	{name: "boxes to agree", row: rowIcon, body: times(95000, "<form method=post><input type=submit value=Agree>", "<input type=checkbox name=Agree>", ""), want: "NewDataSet"},
	{name: "scripts of a pager", row: rowTechnologyOne, body: times(60000, gridHead+`<tr class=pagerRow><td><span>1</span><a href="`, "__doPostBack('a','", `">2</a></table>`), want: ""},
	{name: "headings of a detail page", row: rowTechnologyOne, pages: 3, body: joinedBodies(times(1, "<table class=grid><tr><th>ID<th>Lodged<tr><td>1<td>1/2/2019</table>", "", ""), times(120, "", "<table><tr><td class=headerColumn>", ""), times(9<<20, "", "x", "")), want: "td.headerColumn Address"},
	{name: "tables of a detail page", row: rowEPathway + ", force_detail: true", body: joinedBodies(times(1, "<input type=radio><table class=ContentPanel><tr class=ContentPanelHeading><th>Number<tr class=ContentPanel><td><a href=d>{N}</a></table>", "", ""), times(120, "", "<table class=ContentPanel><tr class=ContentPanelHeading><th>Address<tr class=ContentPanel><td>", ""), times(9<<20, "", "x", "")), want: ""},
	{name: "lines of a cell", row: rowMasterView, body: times(190000, "<table class=rgMasterTable><tr><th>Link<th>Number<th>Details<tr><td><a href=1>1</a><td>1<td>", "<br>", ""), want: "no #details"},
	{name: "one huge description", row: rowTechnologyOne, body: times(9<<20, gridHead+"<tr><td>1<td>1/2/2019<td>", "x", "<td>1 High St"), want: ""},
	{name: "one huge date", row: rowTechnologyOne, body: times(9<<19, gridHead+"<tr><td>1<td>", "1/", "<td>x<td>1 High St"), want: "more than"},
	{name: "page state of 9 MB", row: rowTechnologyOne, pages: 8, body: times(9<<20, `<form id=aspnetForm method=post><input name=__VIEWSTATE value="`, "A", `">`+nextPage), want: "table.grid"},
	{name: "page state that is encoded", row: rowTechnologyOne, pages: 8, body: times(9<<20, `<form id=aspnetForm method=post><input name=__VIEWSTATE value="`, "+", `">`+nextPage), want: "more than"},
	// Charsets and encodings.
	{name: "windows-1252", row: rowTechnologyOne, contentType: "text/html; charset=windows-1252", body: full("<p>", "\x80", ""), want: "more than"},
	{name: "no UTF-8", row: rowTechnologyOne, body: full("<p>", "\x80", ""), want: "more than"},
	{name: "UTF-16", row: rowTechnologyOne, contentType: "text/html; charset=utf-16le", body: full("", "\x00\x4e", ""), want: "more than"},
	{name: "gb18030", row: rowTechnologyOne, contentType: "text/html; charset=gb18030", body: full("", "\xb0\xa1", ""), want: "more than"},
	// XML.
	{name: "XML deep", row: rowIcon, where: "o=xml", body: full("<NewDataSet>", "<a>", ""), want: "more than", quick: true},
	{name: "XML deep below the limit", row: rowIcon, where: "o=xml", body: times(600000, "<NewDataSet>", "<a>", ""), want: "200 elements"},
	{name: "XML elements", row: rowIcon, where: "o=xml", body: full("<NewDataSet>", "<a/>", "</NewDataSet>"), want: "more than"},
	{name: "XML elements below the limit", row: rowIcon, where: "o=xml", body: times(690000, "<NewDataSet>", "<a/>", "</NewDataSet>"), want: ""},
	{name: "XML applications", row: rowIcon, where: "o=xml", body: times(300000, "<NewDataSet>", "<Application></Application>", "</NewDataSet>"), want: ""},
	{name: "XML texts", row: rowIcon, where: "o=xml", body: times(340000, "<NewDataSet>", "xxxxxxxxxx<b/>", "</NewDataSet>"), want: ""},
	{name: "XML sections", row: rowIcon, where: "o=xml", body: times(600000, "<NewDataSet>", "<![CDATA[x]]>", "</NewDataSet>"), want: ""},
	{name: "XML attributes", row: rowIcon, where: "o=xml", body: times(290000, "<NewDataSet>", "<a b=''/>", "</NewDataSet>"), want: ""},
	{name: "XML attributes of one element", row: rowIcon, where: "o=xml", body: numbered(20, "<NewDataSet ", "a%d='' ", "></NewDataSet>"), want: "more than"},
	{name: "XML namespaces", row: rowIcon, where: "o=xml", body: numbered(8, "<NewDataSet ", "xmlns:a%d='a' ", "></NewDataSet>"), want: ""},
	{name: "XML references", row: rowIcon, where: "o=xml", body: full("<NewDataSet>", "&#1;", "</NewDataSet>"), want: "more than"},
	{name: "XML entities", row: rowIcon, where: "o=xml", body: times(100000, `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><NewDataSet>`, "&b;", "</NewDataSet>"), want: ""},
	{name: "XML text", row: rowIcon, where: "o=xml", body: times(15<<20, "<NewDataSet><Application><ReferenceNumber>", "x", "</ReferenceNumber><Address><Line1>1</Line1></Address><ApplicationDetails>d</ApplicationDetails></Application></NewDataSet>"), want: ""},
	{name: "XML address of one application", row: rowIcon, where: "o=xml", body: times(300000, "<NewDataSet><Application><ApplicationId>1</ApplicationId><Address></Address>", "<a></a>", "</Application></NewDataSet>"), want: ""},
	{name: "XML rows", row: rowHorizon, where: "urlRequest", body: times(120000, "<a><run_query_action_return><run_query_action_success><dataset><total>1</total>", "<row><b org_value='1'/></row>", "</dataset></run_query_action_success></run_query_action_return></a>"), want: "column council_reference"},
	// JSON.
	{name: "JSON objects", row: rowATDIS, body: full(`{"pagination":{},"response":[{}`, ",{}", "]}"), want: "more than", quick: true},
	{name: "JSON objects below the limit", row: rowATDIS, body: times(240000, `{"pagination":{},"response":[{}`, ",{}", "]}"), want: "Too many unprocessable"},
	{name: "JSON keys", row: rowATDIS, body: numbered(20, `{`, `"a%d":1,`, `"pagination":{}}`), want: "more than"},
	{name: "JSON keys below the limit", row: rowATDIS, body: numberedTimes(480000, `{"pagination":{},"response":[{"application":{"info":{"dat_id":{"a":1`, `,"a%d":1`, `}}}}]}`), want: ""},
	{name: "JSON deep", row: rowATDIS, body: full("", "[", ""), want: "more than"},
	{name: "JSON deep below the limit", row: rowATDIS, body: times(480000, "", "[", ""), want: "JSON"},
	{name: "JSON string", row: rowATDIS, body: times(5<<20, `{"pagination":{},"response":[{"application":{"info":{"dat_id":"`, "%41", `"}}}]}`), want: ""},
	{name: "JSON number", row: rowATDIS, body: times(15<<20, `{"pagination":{},"response":`, "1", `}`), want: "response"},
	{name: "JSON of one line", row: rowATDIS, body: times(7<<20, `{"pagination":{},"response":[{"application":{"info":{"dat_id":"1","lodgement_date":"`, "1/", `"}}}]}`), want: ""},
	{name: "JSON lists", row: rowMasterViewAPI, where: "POST", body: full(`{"data":[[]`, ",[]", "]}"), want: "more than"},
	{name: "JSON lists below the limit", row: rowMasterViewAPI, where: "POST", body: times(240000, `{"data":[[]`, ",[]", "]}"), want: "Too many unprocessable"},
	{name: "JSON values", row: rowMasterViewAPI, where: "POST", body: times(480000, `{"data":[[1`, ",1", "]]}"), want: ""},
	// What stands around pages.
	{name: "cookies", row: rowTechnologyOne, pages: 200, header: manyCookies(6000), body: times(1, "<form id=aspnetForm method=post>", nextPage, ""), want: "table.grid"},
	{name: "robots.txt", row: rowTechnologyOne, where: "/robots.txt", body: full("User-agent: *\n", "Disallow: *a*b*c*d*e*f$\n", ""), want: "table.grid"},
	{name: "robots.txt of one line", row: rowTechnologyOne, where: "/robots.txt", body: full("User-agent: *\nDisallow: /", "*a", ""), want: "table.grid"},
	{name: "a wall that is large", row: rowTechnologyOne, body: times(90000, "", "<p>access denied", ""), want: "table.grid"},
}

// manyCookies sets so many cookies with each answer, others each time.
func manyCookies(n int) func(http.Header) {
	var last atomic.Int64
	return func(h http.Header) {
		for range n {
			h.Add("Set-Cookie", fmt.Sprintf("a%d=1; Path=/", last.Add(1)))
		}
	}
}
