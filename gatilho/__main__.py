"""`python -m gatilho`."""

import sys

from gatilho.cli import main

if __name__ == "__main__":
    sys.exit(main())
