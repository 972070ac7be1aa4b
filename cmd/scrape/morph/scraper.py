"""Starts the scraper. The platform runs no Go, but it runs this, and this becomes the binary beside it."""
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
binary = os.path.join(here, "scrape")
os.chmod(binary, 0o755)
# The platform allows 512 MiB. Go collects its garbage before it gets there.
os.environ.setdefault("GOMEMLIMIT", "400MiB")
os.execv(binary, [binary, "--db", "data.sqlite", "--evidence", "/tmp/evidence"] + sys.argv[1:])
