"""Three servers of PostgreSQL on loopback, a primary and two physical standbys, of which a commit waits for one; and what an
operator does to them: kill, promote, bring back.

Everything is in one folder. The servers run as this user, or as `postgres` if this user is root. Where they must run as another
user the prefix of their commands is in BOARDROOM_POSTGRES_AS; the folder of their programs is in BOARDROOM_POSTGRES_PROGRAMS.
"""

import concurrent.futures
import contextlib
import ctypes
import json
import os
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import commands

USER = NAME = "boardroom"
OPERATOR = "operator"
"""May do everything; the nodes have a user that may not."""

SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
synchronous_commit = on
synchronous_standby_names = 'ANY 1 (one, two, three)'
wal_compression = on
# Enough for a standby that was away for a while; without a slot nothing older is kept.
wal_keep_size = 1GB
# A standby that was cut off asks again this soon.
wal_retrieve_retry_interval = 500ms
wal_receiver_timeout = 3s
wal_sender_timeout = 3s
recovery_init_sync_method = syncfs
shared_buffers = 64MB
logging_collector = off
"""


PR_SET_CHILD_SUBREAPER = 36
"""Of prctl(2)."""


class DatabaseFailure(Exception):
    """A server does not do what it was told; the message has its last words."""


def free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def until(holds, seconds: float, what: str) -> None:
    limit = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > limit:
            raise DatabaseFailure(f"{what}: not within {seconds:g} s")
        commands.pause(0.05)


def state_of(process: int) -> str:
    """One letter, as proc(5) has it; nothing if there is no such process."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (OSError, IndexError):
        return ""


def has_ended(process: int) -> bool:
    # If its first process was killed it is ours (see `Database`). The next start takes one for a server that runs whom nobody has asked how it ended.
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process, os.WNOHANG)
    return state_of(process) in ("", "Z", "X")


def shared_memory(process: int) -> set[Path]:
    """Files of POSIX shared memory that a process of PostgreSQL has."""
    try:
        lines = Path(f"/proc/{process}/maps").read_text().splitlines()
    except OSError:
        return set()
    return {Path(line.split()[5]) for line in lines if "/dev/shm/PostgreSQL." in line}


@dataclass
class Server:
    name: str
    port: int
    folder: Path
    is_killed: bool = False
    """It was killed, and was not started again."""
    left: set[Path] = field(default_factory=set)
    """Shared memory of those that were killed."""

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def process(self) -> int | None:
        """The number of its first process; nil if it does not run."""
        if self.is_killed:
            # The file is left, and its number may be another process's by now.
            return None
        try:
            number = int((self.data / "postmaster.pid").read_text().split()[0])
            os.kill(number, 0)
        except (OSError, ValueError, IndexError):
            return None
        # Ended, and nobody has asked how: as good as gone.
        return None if state_of(number) in ("", "Z") else number

    def processes(self) -> list[int]:
        """The first process, and all that it has started; none if it does not run. Each is in a session of its own, so that no group has all."""
        first = self.process()
        if first is None:
            return []
        try:
            return [first, *map(int, Path(f"/proc/{first}/task/{first}/children").read_text().split())]
        except OSError:
            return []

    def signal(self, number: int) -> None:
        """To the first process and all that it has started."""
        first = self.process()
        if first is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, number)
        if number == signal.SIGSTOP:
            # Who stands still starts no other.
            limit = time.monotonic() + 5
            while state_of(first) not in ("", "T", "Z") and time.monotonic() < limit:
                time.sleep(0.001)
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def kill(self) -> None:
        """As a machine that is lost: SIGKILL to all of its processes. Nothing is written or told any more, and `postmaster.pid` and shared memory are
        left, which its next start takes away.

        They stand still first: the first process would end the others in order when one of them dies. What a lost machine does not do is
        that the system closes the connections; a server that stands still stands for that.
        """
        self.signal(signal.SIGSTOP)
        processes = self.processes()
        if not processes:
            raise DatabaseFailure(f"{self.name} does not run, and cannot be killed: {self.told()}")
        self.left |= {path for process in processes for path in shared_memory(process)}
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.is_killed = True
        until(lambda: all(has_ended(process) for process in processes), 30, f"processes of {self.name} do not end")

    def clear(self) -> None:
        """Takes away what a killed server has left in memory, where it will not be started again on the same data."""
        if self.process():
            return
        for path in self.left:
            path.unlink(missing_ok=True)
        self.left = set()
        with contextlib.suppress(OSError, IndexError):
            # The seventh line: key and number of the segment by which a start knows that others use the data.
            number = (self.data / "postmaster.pid").read_text().splitlines()[6].split()[1]
            subprocess.run(["ipcrm", "-m", number], capture_output=True, check=False)

    def told(self) -> str:
        return self.log.read_text(errors="replace")[-800:] if self.log.exists() else "nothing"


@dataclass
class Promotion:
    old: str
    new: str
    received: dict[str, int]
    """Bytes of the log of each standby that was asked, counted from its beginning."""
    seconds: float
    at: float
    """When the new one was promoted, by the steady clock: before the other standby has followed it."""


class Database:
    def __init__(self, home: Path) -> None:
        self.programs = Path(os.environ["BOARDROOM_POSTGRES_PROGRAMS"])
        self.prefix = shlex.split(os.environ.get("BOARDROOM_POSTGRES_AS", ""))
        self.home = home / "database"
        self.home.mkdir()
        ports = free_ports(3)
        self.servers = [Server(name, port, self.home / name) for name, port in zip(("one", "two", "three"), ports, strict=True)]
        self.primary = self.servers[0]
        self.unrewound: list[str] = []
        """Why old primaries were copied anew, although the new one had made a checkpoint."""
        self.passwords = self.home / "passwords"
        self.environment = os.environ | {"PGPASSFILE": str(self.passwords), "PGCONNECT_TIMEOUT": "3"}
        # The servers' processes become ours when pg_ctl or their first process has ended. In a container nobody else may ask how they ended.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    # Beginning and end

    def make(self) -> None:
        """Makes the primary, copies it twice, and starts all three."""
        password = secrets.token_hex(16)
        self.passwords.write_text(f"*:*:*:*:{password}\n")
        self.passwords.chmod(0o600)
        word = self.home / "password"
        word.write_text(password)
        for server in self.servers:
            server.folder.mkdir()
        self.give_away(self.home.parent, self.home, *self.home.rglob("*"))
        self.run("initdb", "-D", self.primary.data, "-U", OPERATOR, "-A", "scram-sha-256", f"--pwfile={word}", "-E", "UTF8", "--no-locale", "-N", "-k")
        word.unlink()
        with (self.primary.data / "postgresql.conf").open("a") as file:
            file.write(SETTINGS)
        with (self.primary.data / "pg_hba.conf").open("w") as file:
            for database, user in (("all", OPERATOR), ("replication", OPERATOR), ("all", USER)):
                file.write(f"host {database} {user} 127.0.0.1/32 scram-sha-256\n")
        self.start(self.primary)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(self.copy_anew, [server for server in self.servers if server is not self.primary]))
        self.ask(f"create role {USER} login password '{password}'", f"create database {NAME} owner {USER}", database="postgres")

    def give_away(self, *paths: Path) -> None:
        """Root makes files, and somebody else works with them."""
        for path in paths if self.prefix else ():
            shutil.chown(path, "postgres", "postgres")

    def end(self) -> None:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(self.stop_for_good, self.servers))

    def stop_for_good(self, server: Server) -> None:
        # One that stands still does not hear that it is to end.
        server.signal(signal.SIGCONT)
        if server.process():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.run("pg_ctl", "-D", server.data, "-m", "immediate", "-t", 10, "-s", "stop", may_fail=True, seconds=20)
        with contextlib.suppress(DatabaseFailure):
            server.kill()
        server.clear()

    @property
    def address(self) -> str:
        """All servers; whoever connects takes the one that takes writes."""
        hosts = ",".join(f"127.0.0.1:{server.port}" for server in self.servers)
        return f"postgresql://{USER}@{hosts}/{NAME}?target_session_attrs=read-write"

    # Commands

    def run(self, program: str, *words: object, may_fail: bool = False, seconds: float = 120) -> str:
        # pg_ctl starts servers that it does not wait for.
        done = commands.run([*self.prefix, self.programs / program, *words], self.environment, self.home, seconds, must_end=program == "pg_ctl")
        if done.returncode and not may_fail:
            raise DatabaseFailure(f"{program} failed: {(done.stdout + done.stderr)[-800:]}")
        return done.stdout

    def ask(self, *statements: str, server: Server | None = None, database: str = NAME, seconds: float = 30) -> str:
        """The answer of the last statement, of one server or of whichever takes writes."""
        hosts = f"host=127.0.0.1 port={server.port}" if server else \
            f"host={','.join(['127.0.0.1'] * 3)} port={','.join(str(one.port) for one in self.servers)} target_session_attrs=read-write"
        words = [word for statement in statements for word in ("-c", statement)]
        return self.run("psql", f"{hosts} user={OPERATOR} dbname={database} application_name=operator", "-AtqXv", "ON_ERROR_STOP=1", *words,
                        seconds=seconds).strip()

    def start(self, server: Server) -> None:
        server.is_killed = False
        for attempt in range(3):
            try:
                self.run("pg_ctl", "-D", server.data, "-w", "-t", 60, "-s", "-l", server.log, "start", "-o",
                         f"-p {server.port} -c cluster_name={server.name}")
                server.left = set()
                return
            except DatabaseFailure as failure:
                if attempt == 2:
                    raise DatabaseFailure(f"{server.name} did not start: {failure}; it says: {server.told()}") from None
                commands.pause(0.5)

    def restart(self, server: Server) -> None:
        """In order, as an operator does: who is connected is cut off, and all is written."""
        self.run("pg_ctl", "-D", server.data, "-m", "fast", "-t", 60, "-s", "-w", "stop")
        self.start(server)

    # Copies

    def dump(self, file: Path) -> None:
        """All that is in the nodes' database, as of one moment."""
        self.run("pg_dump", "-d", f"{self.source(self.primary)} dbname={NAME}", "-f", file)

    def restore(self, file: Path, name: str) -> None:
        """A database of that name, as the other one was."""
        self.ask(f"create database {name} owner {USER}", database="postgres")
        self.run("psql", f"{self.source(self.primary)} dbname={name}", "-qXv", "ON_ERROR_STOP=1", "-f", file)

    # Standbys

    def source(self, of: Server) -> str:
        return f"host=127.0.0.1 port={of.port} user={OPERATOR} passfile={self.passwords}"

    def follow(self, server: Server, primary: Server | None) -> None:
        """A standby that runs hears another primary, or none."""
        source = self.source(primary) if primary else ""
        self.ask(f"alter system set primary_conninfo = '{source}'", "select pg_reload_conf()", server=server, database="postgres")

    def copy_anew(self, server: Server) -> None:
        """Throws away what the server has, copies the primary, and starts it as its standby."""
        server.clear()
        shutil.rmtree(server.data, ignore_errors=True)
        self.run("pg_basebackup", "-D", server.data, "-d", self.source(self.primary), "-c", "fast", "-X", "stream")
        self.start_as_standby(server)

    def start_as_standby(self, server: Server) -> None:
        signal = server.data / "standby.signal"
        signal.touch()
        self.give_away(signal)
        with (server.data / "postgresql.auto.conf").open("a") as file:
            file.write(f"primary_conninfo = '{self.source(self.primary)}'\n")
        self.start(server)
        self.wait_for(server)

    def wait_for(self, server: Server, seconds: float = 30) -> None:
        """Until the primary sends to it, and it has caught up."""
        until(lambda: self.ask("select count(*) from pg_stat_replication where state = 'streaming' and "
                               f"application_name = '{server.name}'", server=self.primary, database="postgres") == "1",
              seconds, f"{server.name} does not follow {self.primary.name}")

    # Failover

    def fail_over(self) -> Promotion:
        """After the primary's end, or while it stands still: the standby that has received most becomes the primary, and the other one follows it.

        The order is what makes it safe. First no standby hears the old primary any more, so that nothing is acknowledged that is not
        compared; then all are asked what they have; only then one is promoted. Each of two standbys may be the one that a commit was
        acknowledged by: with one of them missing nobody knows.
        """
        began, old = time.monotonic(), self.primary
        standbys = [server for server in self.servers if server is not old]
        missing = [server.name for server in standbys if not server.process()]
        if missing:
            raise DatabaseFailure(f"{missing[0]} cannot be asked what it has received, so that nobody may be promoted")
        for server in standbys:
            self.follow(server, None)
        received = {}
        for server in standbys:
            until(lambda server=server: self.ask("select count(*) from pg_stat_wal_receiver", server=server, database="postgres") == "0",
                  10, f"{server.name} goes on hearing {old.name}")
            received[server.name] = int(self.ask("select greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'",
                                                 server=server, database="postgres"))
        chosen = max(standbys, key=lambda server: received[server.name])
        if self.ask("select pg_promote(true, 60)", server=chosen, database="postgres", seconds=70) != "t":
            raise DatabaseFailure(f"{chosen.name} was not promoted: {chosen.told()}")
        self.primary, promoted = chosen, time.monotonic()
        for server in standbys:
            if server is not chosen:
                self.follow(server, chosen)
                self.wait_for(server)
        return Promotion(old.name, chosen.name, received, round(time.monotonic() - began, 2), promoted)

    def bring_back(self, server: Server) -> str:
        """An old primary, which does not run, becomes a standby: by pg_rewind, or copied anew. Says by which."""
        # Otherwise pg_rewind may look at the timeline that the new primary has left, and find nothing to do.
        self.ask("checkpoint", server=self.primary, database="postgres", seconds=60)
        said = "pg_rewind"
        try:
            self.run("pg_rewind", "-D", server.data, f"--source-server={self.source(self.primary)} dbname=postgres")
            # It may end with 0 and have done nothing: then the server does not follow.
            said = "pg_rewind ended with 0, but"
            self.start_as_standby(server)
            return "rewound"
        except (DatabaseFailure, subprocess.TimeoutExpired) as failure:
            self.unrewound.append(f"{server.name}: {said}: {failure}")
            if server.process():
                server.kill()
            self.copy_anew(server)
            return "copied anew"

    # State

    def state(self) -> list[dict]:
        """Of each server: whether it runs, what it is, and how far it is behind the primary."""
        lag = {}
        try:
            rows = json.loads(self.ask(REPLICATION, server=self.primary, database="postgres", seconds=5))
            lag = {row["name"]: row for row in rows["standbys"]}
            timeline = rows["timeline"]
        except (DatabaseFailure, subprocess.TimeoutExpired):
            timeline = None
        state = []
        for server in self.servers:
            one = {"name": server.name, "address": f"127.0.0.1:{server.port}", "runs": server.process() is not None}
            if server is self.primary:
                one |= {"is": "primary", "timeline": timeline}
            else:
                one |= {"is": "standby"} | {key: value for key, value in lag.get(server.name, {"state": None}).items() if key != "name"}
            state.append(one)
        return state


class GivenDatabase(Database):
    """One that somebody else runs, of which there is an address: nothing is done to its servers, and what is written there stays."""

    def __init__(self, address: str, home: Path) -> None:
        self.programs, self.prefix, self.home = Path(os.environ["BOARDROOM_POSTGRES_PROGRAMS"]), [], home
        self.given, self.servers, self.unrewound = address, [], []
        self.environment = dict(os.environ)

    def make(self) -> None:
        """It is there."""

    def end(self) -> None:
        """It stays."""

    @property
    def address(self) -> str:
        return self.given

    def ask(self, *statements: str, server: Server | None = None, database: str = NAME, seconds: float = 30) -> str:
        words = [word for statement in statements for word in ("-c", statement)]
        return self.run("psql", self.given, "-AtqXv", "ON_ERROR_STOP=1", *words, seconds=seconds).strip()


REPLICATION = """
select json_build_object('timeline', ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int, 'standbys', coalesce(json_agg(json_build_object(
  'name', application_name, 'state', state, 'sync', sync_state,
  'behindBytes', pg_current_wal_lsn() - flush_lsn, 'flushLagMs', round(extract(epoch from flush_lag) * 1000, 1),
  'replayLagMs', round(extract(epoch from replay_lag) * 1000, 1)) order by application_name), '[]'))
from pg_stat_replication
"""
