"""Runs the program on a machine of the cluster, as a child that does not outlive its worker.

These functions are sent to the workers by value: machines need Ray and the program, not this package.
"""

import shutil
import socket
import subprocess
from dataclasses import dataclass


class Died(RuntimeError):
    """The program did not do its work: a reason to try again, on another machine where there is one."""


@dataclass(frozen=True)
class Ran:
    """How the program ended."""

    code: int
    stdout: str
    stderr: str
    host: str

    def died(self, what: str) -> Died:
        """The error that this was."""
        if self.code < 0:
            how = f"killed by signal {-self.code}"
        else:
            how = f"exit code {self.code}"
        said = self.stderr.strip().splitlines()
        return Died(f"{what} on {self.host}: {how}" + (f": {said[-1]}" if said else ""))


def run(program: str, arguments: list[str], stdin: str, directory: str) -> Ran:
    """Runs the program to its end."""
    found = shutil.which(program)
    if found is None:
        raise Died(f"{host()} has no program {program}: install it on every machine, or say where it is with --program")
    command = [*leash(), found, *arguments]
    try:
        ran = subprocess.run(command, input=stdin, cwd=directory, capture_output=True, encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        raise Died(f"{found} cannot be run on {host()}: {error}") from None
    return Ran(ran.returncode, ran.stdout, ran.stderr, host())


def host() -> str:
    """This machine."""
    return socket.gethostname()


def leash() -> list[str]:
    """What kills the program when its worker dies.

    A worker that is killed takes no children along (Ray's issue 42861). One that is left would commit the same bytes as the next try, but
    use a core that Ray takes for free. Where util-linux is missing, so be it.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []


def version(program: str, directory: str) -> str:
    """What the program calls itself."""
    ran = run(program, ["--version"], "", directory)
    if ran.code != 0:
        raise ran.died(program)
    return ran.stdout.strip()
