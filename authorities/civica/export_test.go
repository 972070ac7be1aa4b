package civica

// AfterPanel finds where the list stands.
var AfterPanel = afterPanel
