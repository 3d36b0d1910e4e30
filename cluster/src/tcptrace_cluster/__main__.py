"""`python -m tcptrace_cluster`."""

import sys

from .main import main

sys.exit(main())
