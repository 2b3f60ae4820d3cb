# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the `sinew` command as a process. Knows nothing of Blender, so that it can be tested without it.

Invariants:
1. Nothing here blocks but `Run.wait` and `find`: a reader thread for each pipe fills a queue, `Run.poll` empties it.
2. A process that is started is ended: by itself, by `cancel` (asks first, kills after a while) or by `close`.
3. Whatever goes wrong is a CommandError whose text can be shown to a user as it is.

With `--json --progress json` the command prints one object per line: progress on stderr, the result on stdout. Other
lines on stderr are messages for people.
"""

import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

# The add-on speaks the files and options of this version of the command and of later ones with the same first number.
NEEDED = (0, 1, 0)

GRACE = 3.0  # s that a cancelled command has to put away what it has
END = object()  # stands in the queue for the end of a pipe


class CommandError(Exception):
    """What went wrong, in words for the user. `error` is the command's own object if it gave one."""

    def __init__(self, message, error=None, code=None):
        super().__init__(message)
        self.error = error or {}
        self.code = code


class Cancelled(CommandError):
    """The user stopped it."""

    def __init__(self):
        super().__init__("Cancelled")


# ---- finding it ---------------------------------------------------------------------------------------------------


def candidates(preferred=""):
    """Paths to try, best first: the preference, the environment, the PATH, usual folders, a build tree around us."""
    name = "sinew.exe" if os.name == "nt" else "sinew"
    if preferred:
        preferred = os.path.expanduser(preferred)
        yield os.path.join(preferred, name) if os.path.isdir(preferred) else preferred
        return  # what the user names is meant: no other program takes its place in silence
    if os.environ.get("SINEW_COMMAND"):
        yield os.environ["SINEW_COMMAND"]
    found = shutil.which("sinew")
    if found:
        yield found
    for folder in ("/usr/local/bin", "/opt/homebrew/bin", os.path.expanduser("~/.local/bin")):
        yield os.path.join(folder, name)
    here = os.path.dirname(os.path.realpath(__file__))
    yield os.path.join(os.path.dirname(os.path.dirname(here)), "build", name)


def parse_version(text):
    """(0, 1, 0) from "sinew 0.1.0"; None if it is not the answer of our command."""
    match = re.match(r"sinew (\d+)\.(\d+)\.(\d+)", text)
    return tuple(int(part) for part in match.groups()) if match else None


def version(path):
    """The version of a command, as three numbers. CommandError says why there is none."""
    try:
        answer = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=20, check=False)
    except FileNotFoundError:
        raise CommandError(f"There is no command {path}") from None
    except PermissionError:
        raise CommandError(f"{path} is not a program that may be run") from None
    except subprocess.TimeoutExpired:
        raise CommandError(f"{path} does not answer") from None
    except OSError as trouble:
        raise CommandError(f"{path} cannot be run: {trouble.strerror or trouble}") from None
    found = parse_version(answer.stdout.decode("utf-8", "replace"))
    if answer.returncode != 0 or not found:
        raise CommandError(f"{path} is not the sinew command")
    return found


def check_version(path):
    """The version, if it fits this add-on; else CommandError."""
    found = version(path)
    if found[0] != NEEDED[0] or found < NEEDED:
        raise CommandError("{} has version {}; this add-on needs {} or a later {}.x".format(
            path, ".".join(map(str, found)), ".".join(map(str, NEEDED)), NEEDED[0]))
    return found


def find(preferred=""):
    """Path of a command that fits. CommandError says what to do if there is none."""
    trouble = None
    for path in candidates(preferred):
        if not preferred and not os.path.exists(path):
            continue
        try:
            check_version(path)
            return path
        except CommandError as error:
            trouble = trouble or error
    if trouble:
        raise CommandError(f"{trouble}. Set the path of the sinew command in the preferences of the add-on")
    raise CommandError("The sinew command was not found. Install it, or set its path in the preferences of the add-on")


# ---- running it ---------------------------------------------------------------------------------------------------


def describe(error):
    """One line from the command's error object: place, what, remedy."""
    place = error.get("element") or ""
    text = error.get("message") or error.get("status") or "the command failed"
    if place and place not in text:
        text = f"{place}: {text}"
    return f"{text} ({error['remedy']})" if error.get("remedy") else text


def how_it_ended(code, messages):
    """A sentence for a process that ended with this code and gave no error object."""
    last = [line for line in messages if line.strip() and not line.startswith("sinew: note:")][-3:]
    said = "; ".join(line[len("sinew: "):] if line.startswith("sinew: ") else line for line in last)
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = str(-code)
        crashed = name in ("SIGSEGV", "SIGABRT", "SIGFPE", "SIGILL", "SIGBUS")
        text = f"The sinew command {'crashed' if crashed else 'was killed'} ({name})"
    else:
        text = f"The sinew command failed with code {code}"
    return f"{text}: {said}" if said else text


class Run:
    """One run of the command. `poll` from a timer, or `wait`."""

    def __init__(self, path, arguments, folder=None, talk=False):
        """arguments: words after the command's path. talk: keep stdin open for `send`."""
        self.arguments = [str(word) for word in arguments]
        self.stage, self.done, self.total = "", 0.0, 0.0
        self.messages = []  # lines for people
        self.result = None  # last object on stdout
        self.objects = []  # objects on stdout since they were last taken
        self.started = time.monotonic()
        self._cancelled_at = None
        self._queue = queue.Queue()
        try:
            self._process = subprocess.Popen(
                [path, *self.arguments], cwd=folder, stdin=subprocess.PIPE if talk else subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **_apart())
        except OSError as trouble:
            raise CommandError(f"{path} cannot be run: {trouble.strerror or trouble}") from None
        self._open = 2
        for pipe, is_result in ((self._process.stdout, True), (self._process.stderr, False)):
            threading.Thread(target=self._read, args=(pipe, is_result), daemon=True).start()

    @property
    def fraction(self):
        """Progress from 0 to 1."""
        return min(1.0, max(0.0, self.done / self.total)) if self.total > 0 else 0.0

    @property
    def running(self):
        return self._open > 0 or self._process.poll() is None

    @property
    def pid(self):
        return self._process.pid

    def _read(self, pipe, is_result):
        try:
            for line in pipe:
                self._queue.put((is_result, line.decode("utf-8", "replace").rstrip("\r\n")))
        except (OSError, ValueError):
            pass
        self._queue.put((is_result, END))

    def _take(self, is_result, line):
        if line is END:
            self._open -= 1
            return
        item = None
        if line.startswith("{"):
            try:
                item = json.loads(line)
            except ValueError:
                pass
        if not isinstance(item, dict):
            if line:
                self.messages.append(line)
        elif is_result:
            self.result = item
            self.objects.append(item)
        elif "stage" in item:
            self.stage = item["stage"]
            self.done, self.total = float(item.get("done") or 0), float(item.get("total") or 0)

    def poll(self):
        """Takes in what has come. True while it runs; when it has ended, True never comes back."""
        while True:
            try:
                self._take(*self._queue.get_nowait())
            except queue.Empty:
                break
        if self._cancelled_at is not None and time.monotonic() - self._cancelled_at > GRACE:
            self.kill()
        if self.running:
            return True
        self._close_pipes()
        return False

    def take_objects(self):
        """The objects on stdout since the last call, for commands that stream."""
        taken, self.objects = self.objects, []
        return taken

    def send(self, item):
        """One object to the command's stdin. False if it no longer listens."""
        try:
            self._process.stdin.write((json.dumps(item) + "\n").encode())
            self._process.stdin.flush()
            return True
        except (OSError, ValueError, AttributeError):
            return False

    def cancel(self):
        """Asks the command to stop; it is killed if it does not within a few seconds."""
        if self._cancelled_at is None:
            self._cancelled_at = time.monotonic()
            if self._process.poll() is None:
                try:
                    self._process.send_signal(signal.SIGINT if os.name != "nt" else signal.CTRL_BREAK_EVENT)
                except OSError:
                    self.kill()

    def kill(self):
        if self._process.poll() is None:
            try:
                self._process.kill()
            except OSError:
                pass

    def close(self):
        """Ends it at once, whatever it does. For when nobody waits any more."""
        self.kill()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            pass
        self._open = 0
        self._close_pipes()

    def _close_pipes(self):
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                try:
                    pipe.close()
                except OSError:
                    pass

    def outcome(self):
        """The result object of a run that has ended well; otherwise raises what went wrong."""
        code = self._process.returncode
        error = (self.result or {}).get("error")
        if self._cancelled_at is not None:
            raise Cancelled()
        if error:
            raise CommandError(describe(error), error, code)
        if code != 0:
            raise CommandError(how_it_ended(code, self.messages), None, code)
        if self.result is None:
            raise CommandError("The sinew command ended without a result", None, code)
        return self.result

    def wait(self, on_progress=None, pause=0.02):
        """Blocks until it ends and gives its outcome. on_progress(run) may return True to cancel."""
        try:
            while self.poll():
                if on_progress and on_progress(self):
                    self.cancel()
                time.sleep(pause)
        except BaseException:
            self.close()
            raise
        return self.outcome()


def _apart():
    """Ctrl-C in the terminal of Blender is Blender's: the command gets only the signals that we send."""
    if os.name == "nt":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | 0x08000000}  # and no window
    return {"start_new_session": True}


def run(path, arguments, folder=None, on_progress=None):
    """Runs a command to its end and gives its result object."""
    return Run(path, [*arguments, "--json", "--progress", "json"], folder).wait(on_progress)


if __name__ == "__main__":  # what the add-on would find
    print(find(sys.argv[1] if len(sys.argv) > 1 else ""))
