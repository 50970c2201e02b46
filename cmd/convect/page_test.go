package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// htmlTable is a table of a page: its column heads and its cells.
type htmlTable struct {
	head []string
	rows [][]htmlCell
}

// htmlCell is what is seen of a cell, and the value behind it.
type htmlCell struct{ text, value string }

// tablesOf reads the tables of a page by their identities.
func tablesOf(t *testing.T, html string) map[string]htmlTable {
	t.Helper()
	tables := map[string]htmlTable{}
	d := xml.NewDecoder(strings.NewReader(html))
	d.Entity = xml.HTMLEntity
	var id, text, value string
	var table htmlTable
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return tables
		} else if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.CharData:
			text += string(x)
		case xml.StartElement:
			switch x.Name.Local {
			case "table":
				id, table = attribute(x, "id"), htmlTable{}
			case "tbody":
				table.rows = nil // that of the heads
			case "tr":
				table.rows = append(table.rows, nil)
			case "th", "td":
				text, value = "", ""
			case "data":
				value = attribute(x, "value")
			}
		case xml.EndElement:
			switch last := len(table.rows) - 1; x.Name.Local {
			case "th":
				table.head = append(table.head, text)
			case "td":
				table.rows[last] = append(table.rows[last], htmlCell{strings.Join(strings.Fields(text), " "), value})
			case "table":
				if _, twice := tables[id]; twice || id == "" {
					t.Errorf("table %q is not the only one of its name", id)
				}
				tables[id] = table
			}
		}
	}
}

// attribute returns an attribute of an element.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readFile returns the text of a file.
func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
