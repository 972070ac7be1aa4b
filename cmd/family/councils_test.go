package family

// councils is the family that most tests run: the councils of scrape. TestMain sets it, from outside of this package.
var councils *Family

// Councils has the tests run a family.
func Councils(f Family) (err error) {
	councils, err = f.withDefaults()
	return err
}
