//go:build race

package family

const raceDetector = true
