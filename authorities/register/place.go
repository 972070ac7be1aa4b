package register

// Place is options that the platforms share whose addresses may lack something.
type Place struct {
	State string `yaml:"state"` // such as NSW, added to addresses that lack it; "" adds none
}
