package listing

var RelNextOf = relNextOf
