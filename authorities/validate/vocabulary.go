package validate

// The words that the checks look for. None of these lists is changed.
var (
	// states are those of Australian addresses.
	states = []string{"ACT", "NSW", "NT", "QLD", "SA", "TAS", "VIC", "WA"}

	// streetTypes are the words that make a name a street's.
	streetTypes = []string{
		"arcade", "av", "ave", "avenue", "boulevard", "blvd", "bvd", "circuit", "cct", "circle", "cir", "close",
		"cl", "court", "crt", "ct", "chase", "corso", "cr", "cres", "crescent", "cross", "dr", "drive", "drv", "ent",
		"entrance", "esp", "esplanade", "gr", "grove", "hwy", "highway", "la", "lan", "lane", "loop", "mews", "mw",
		"parade", "pde", "parkway", "pl", "place", "priv", "private", "prom", "promenade", "quay", "rd", "road",
		"rdg", "ridge", "rise", "sq", "square", "st", "street", "tce", "terrace", "way", "wy",
	}

	// planningKeywords make a description reasonable wherever they stand in it.
	planningKeywords = []string{
		"dwelling", "house", "unit", "building", "structure", "facility", "addition", "extension", "renovation",
		"alteration", "modification", "replacement", "upgrade", "improvement", "carport", "garage", "shed", "pool",
		"deck", "patio", "pergola", "verandah", "balcony", "fence", "wall", "driveway", "subdivision", "demolition",
		"construction", "development", "signage", "telecommunications", "stormwater", "water", "sewer",
		"certificate", "approval", "consent", "permit",
	}

	// botWords stand on pages that ask a visitor to be human.
	botWords = []string{
		"recaptcha", "cloudflare", "are you human", "bot detection", "security check", "verify you are human",
		"access denied", "blocked", "captcha",
	}
)
