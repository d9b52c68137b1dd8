"""Kills a node in the middle of what accounts and channels do by the clock, and looks at what others are told, and when.

TL-7, TL-8, TL-13, TL-15, TL-16, TL-18 and TL-19 of the source systems, in real time, each twice: once the node that is killed owns the account that the
timeline is about, and once it owns the channel, or the other account. The account and its channel are at different nodes. Signaling is played
with `boardroom signaling`, RTM on bare sockets. Members of rooms write meanwhile, and are compared with the log as everywhere.

What a lost owner delays: SES-10 gives who does not come back a whole grace from the opening by the next owner (of the account: there the graces run). What
has a date in the log (an invitation) keeps it.
"""

import argparse
import asyncio
import hashlib
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from websockets.asyncio.client import connect

from load import GONE, Broken, Load, Node, Wanderer, spread
from options import parser, seeded

KILLED = "c"
KILL = 10.0
"""Seconds after the beginning of all timelines at which the node is killed."""
LATE = 8.0
"""Seconds by which a lost owner may delay something: 5 until its logs are open elsewhere, and 3 until clients are there."""
EARLY = 1.5
"""Seconds by which something may be early: a grace runs from the last byte."""


def space(kind: str, name: str) -> str:
    """The log's name (docs/PROTOCOL.md, section 6a)."""
    return hashlib.sha256(f"boardroom.space.1\n{kind}\n{name}".encode()).digest()[:16].hex()


class Terminal:
    """One `boardroom signaling`: its lines are kept, each with the time when it came."""

    def __init__(self, process: asyncio.subprocess.Process, name: str, kept: Path) -> None:
        self.process, self.name = process, name
        self.lines: list[tuple[float, str]] = []
        self.errors = kept
        self.news = asyncio.Event()
        self.reader = asyncio.create_task(self.read())

    async def read(self) -> None:
        while line := await self.process.stdout.readline():
            self.lines.append((time.monotonic(), line.decode().rstrip("\n")))
            self.news.set()

    def do(self, order: str) -> None:
        self.process.stdin.write(f"{order}\n".encode())

    def all(self, beginning: str, since: float = 0) -> list[float]:
        """When lines came that begin so."""
        return [at for at, line in self.lines if line.startswith(beginning) and at >= since]

    async def hears(self, beginning: str, within: float = 30, since: float = 0) -> float:
        limit = time.monotonic() + within
        while not (found := self.all(beginning, since)):
            self.news.clear()
            try:
                await asyncio.wait_for(self.news.wait(), max(0.0, limit - time.monotonic()))
            except asyncio.TimeoutError:
                heard = "; ".join(line for _, line in self.lines[-8:])
                raise Broken(f"{self.name} did not hear {beginning} within {within:g} s; it heard: {heard}; {self.errors.read_text()[-300:]}") from None
        return found[0]

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


class Client:
    """One connection of an account, or of its membership in a channel: it comes back to the next node, with session and cursor."""

    silence = 4.0

    def __init__(self, nodes: list[Node], hello: dict) -> None:
        self.urls = [f"ws://127.0.0.1:{node.port}/v1/rooms" for node in nodes]
        self.hello, self.at = hello, 0
        self.session: dict = {}
        self.member = None
        self.cursor: dict = {}
        self.counter = 0
        self.resumed: list[bool] = []
        self.records: list[tuple[float, dict]] = []
        self.end: dict | None = None
        """The farewell that was final."""
        self.socket = None
        self.is_there = True
        self.is_live = asyncio.Event()
        self.task = asyncio.create_task(self.live())

    async def live(self) -> None:
        while self.is_there and self.end is None:
            try:
                await self.one_connection()
            except GONE:
                pass
            self.is_live.clear()
            self.at += 1
            await asyncio.sleep(0.3)

    async def one_connection(self) -> None:
        async with connect(self.urls[self.at % len(self.urls)], subprotocols=["boardroom.json.v1"], max_size=None, compression=None,
                           open_timeout=2, close_timeout=0.2, ping_interval=None) as socket:
            self.socket = socket
            await self.say({"m": "hello"} | self.hello | self.session | self.cursor)
            while True:
                self.take(body := json.loads(await asyncio.wait_for(socket.recv(), self.silence)))
                if body["m"] == "heartbeat":
                    await self.say({"m": "heartbeat", "revision": self.cursor.get("revision", 0)})
                if body["m"] == "farewell":
                    return

    def take(self, body: dict) -> None:
        if body["m"] == "welcome":
            self.resumed.append(body["resumed"])
            self.session = {name: body[name] for name in ("session", "generation", "ticket")}
            self.member, self.cursor["epoch"] = body["member"], body["epoch"]
            self.cursor.setdefault("revision", 0)
            if not body["resumed"]:
                self.counter = 0
        elif body["m"] == "snapshotRoot":
            self.cursor["revision"] = body["revision"]
        elif body["m"] == "run":
            for record in body["records"]:
                self.cursor["revision"] = record["rev"]
                self.records.append((time.monotonic(), record))
        elif body["m"] == "live":
            self.is_live.set()
        elif body["m"] == "farewell" and not body["comeBack"] and body["code"] != "notConnected":
            # Who is not signed in yet may be so soon.
            self.end = body

    async def say(self, body: dict) -> None:
        await self.socket.send(json.dumps(body))

    async def command(self, kind: str, body: dict) -> None:
        self.counter += 1
        await self.say({"m": "commands", "commands": [{"n": self.counter, "kind": kind, "body": body}]})

    async def until_live(self, within: float = 20) -> None:
        try:
            await asyncio.wait_for(self.is_live.wait(), within)
        except asyncio.TimeoutError:
            raise Broken(f"{self.hello['account']} is not in within {within:g} s; its farewell: {self.end}") from None

    async def vanish(self) -> None:
        """Without a word, as a machine does that is switched off."""
        self.is_there = False
        if self.socket:
            self.socket.transport.abort()
        # Until Python 3.12 a wait with a limit may swallow that it is cancelled.
        while not self.task.done():
            self.task.cancel()
            await asyncio.wait([self.task], timeout=1)
        self.is_live.clear()

    async def leave(self) -> None:
        self.is_there = False
        await self.say({"m": "leave"})
        # Until the server has said farewell.
        await asyncio.wait([self.task], timeout=2)
        await self.vanish()

    def come_back(self) -> None:
        self.is_there = True
        self.task = asyncio.create_task(self.live())

    def all(self, kind: str, since: float, by: int | None = None) -> list[tuple[float, dict]]:
        return [(at, record) for at, record in self.records if record["kind"] == kind and at >= since and (by is None or record["by"] == by)]

    async def hears(self, kind: str, since: float, within: float, by: int | None = None) -> tuple[float, dict]:
        limit = time.monotonic() + within
        while not (found := self.all(kind, since, by)):
            if time.monotonic() > limit:
                raise Broken(f"{self.hello['account']} was not told {kind} within {within:g} s")
            await asyncio.sleep(0.05)
        return found[0]


class Timelines(Load):
    name = "timelines"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        self.terminals: list[Terminal] = []
        self.clients: list[Client] = []
        self.waiting = 0
        self.began = asyncio.Event()
        self.zero = 0.0
        """When all timelines begin."""
        self.late: list[float] = []
        """By how many seconds what was told came later than it is due."""

    # Who takes part

    def node(self, name: str) -> Node:
        return next(node for node in self.nodes if node.name == name)

    def from_node(self, name: str) -> list[Node]:
        return sorted(self.nodes, key=lambda node: node.name != name)

    async def terminal(self, account: str, stay: bool = False) -> Terminal:
        # The folders of the nodes hold the key.
        words = [self.options.program, "signaling", account, "--server", ",".join(node.server for node in self.nodes),
                 "--data", self.database.address, "--files", self.nodes[0].files, "--quiet"]
        if stay:
            words += ["--stay", self.options.home / f"{account}.stay"]
        kept = self.options.home / f"{account}-{len(self.terminals)}.err"
        with kept.open("wb") as errors:
            process = await asyncio.create_subprocess_exec(
                *map(str, words), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=errors,
                env=self.database.environment, start_new_session=True)
        terminal = Terminal(process, account, kept)
        self.terminals.append(terminal)
        await terminal.hears("onLoginSuccess(")
        return terminal

    async def client(self, service: str, account: str, channel: str | None = None, at: str = "b") -> Client:
        hello = {"service": service, "account": account, "token": self.token, "client": "timelines/1"}
        client = Client(self.from_node(at), hello | ({"channel": channel} if channel else {}))
        self.clients.append(client)
        await client.until_live()
        return client

    async def owned(self, at: str, *, account: str | None = None, channel: tuple[str, str] | None = None) -> None:
        """Has a node own the log of an account, or of a service's channel: the node by which somebody comes in first."""
        if account:
            await (await self.client("rtc", account, at=at)).leave()
        if channel:
            service, name = channel
            login = await self.client(service, f"first-in-{name}", at=at)
            await (await self.client(service, f"first-in-{name}", name, at=at)).leave()
            await login.leave()
        log = space("account", account) if account else space(f"channel.{channel[0]}", channel[1])
        owner = (await asyncio.to_thread(self.owners)).get(log, ("nobody", 0))[0]
        if owner != at:
            raise Broken(f"{account or channel} is owned by {owner}, and not by {at}: nothing would be tested")

    async def beginning(self) -> None:
        """Until all timelines are set up."""
        self.waiting += 1
        await self.began.wait()

    async def second(self, number: float) -> None:
        """Until so many seconds after the beginning."""
        await asyncio.sleep(max(0.0, self.zero + number - time.monotonic()))

    def is_due(self, what: str, at: float, first: float, last: float) -> None:
        """`at` on the clock; `first` and `last` in seconds after the beginning. What the dead owner may add is not in them."""
        passed = at - self.zero
        if not first - EARLY <= passed <= last + LATE:
            raise Broken(f"{what} after {passed:.1f} s; meant are {first:g} to {last:g}, with {EARLY:g} before and {LATE:g} after")
        self.late.append(passed - last)
        self.say(f"{what} after {passed:.1f} s")

    @staticmethod
    def never(what: str, found: list) -> None:
        if found:
            raise Broken(f"{what}, {len(found)} times")

    # The timelines. `about`: which log the node that is killed owns.

    async def signaling_pair(self, about: str, name: str, stay: bool = False) -> tuple[Terminal, Terminal]:
        anna, bert, lobby = f"anna-{name}", f"bert-{name}", f"lobby-{name}"
        await self.owned(KILLED if about == "account" else "a", account=anna)
        await self.owned("b", account=bert)
        await self.owned("a" if about == "account" else KILLED, channel=("signaling", lobby))
        one, other = await self.terminal(anna, stay), await self.terminal(bert)
        for terminal in (other, one):
            terminal.do(f"channelJoin {lobby}")
            await terminal.hears("onChannelUserList(")
        await other.hears(f'onChannelUserJoined("{anna}"')
        return one, other

    async def gone(self, about: str, grace: int) -> None:
        """TL-15, and TL-16 with the shortest grace."""
        name = f"gone{grace}-{about}"
        anna, bert = await self.signaling_pair(about, name)
        if grace == 20:
            anna.do("setAttr _conn_timeout 5")
            anna.do("getAttr _conn_timeout")
            await anna.hears(f'onUserAttrResult("anna-{name}", "_conn_timeout", "20")')
        await self.beginning()
        await anna.kill()
        line = f'onChannelUserLeaved("anna-{name}"'
        # Of the account whose owner is lost the grace is a whole one from the next owner's opening on.
        last = KILL + grace if about == "account" else grace
        left = await bert.hears(line, last + LATE + 5, self.zero)
        self.is_due(f"TL-15, TL-16, owner of the {about}: of a grace of {grace} s the others are told", left, grace, last)
        await self.second(last + LATE + 3)
        self.never("the others are told again that she is gone", bert.all(line, left + 0.001))

    async def back(self, about: str) -> None:
        """TL-15 within the grace: nobody notices."""
        name = f"back-{about}"
        anna, bert = await self.signaling_pair(about, name, stay=True)
        await self.beginning()
        await anna.kill()
        await self.second(25)
        anna = await self.terminal(f"anna-{name}", stay=True)
        anna.do(f"channelJoin lobby-{name}")
        await anna.hears("onChannelJoined(")
        anna.do(f"messageChannelSend lobby-{name} here again")
        self.is_due(f"SIG-S5, owner of the {about}: who is back within the grace is heard",
                    await bert.hears(f'onMessageChannelReceive("lobby-{name}", "anna-{name}", 0, "here again")'), 25, 30)
        await self.second(60)
        self.never("the others are told of a leave", bert.all("onChannelUserLeaved(\"anna", self.zero))
        self.never("the others are told of a join", bert.all("onChannelUserJoined(\"anna", self.zero))

    async def uncalled(self, about: str) -> None:
        """TL-18: an invitation to somebody who is away."""
        name = f"uncalled-{about}"
        caller, callee = f"anna-{name}", f"ben-{name}"
        await self.owned(KILLED if about == "account" else "a", account=caller)
        await self.owned("b" if about == "account" else KILLED, account=callee)
        anna = await self.terminal(caller)
        await self.beginning()
        anna.do(f'channelInviteUser2 call-{name} {callee} {{"_require_peer_online":0}}')
        failed = await anna.hears(f'onInviteFailed("call-{name}", "{callee}", 0, 703', 20 + LATE + 5)
        self.is_due(f"TL-18, owner of the {'caller' if about == 'account' else 'callee'}: the invitation has failed", failed, 20, 20)
        await self.second(20 + LATE + 1)
        ben = await self.terminal(callee)
        await self.second(20 + LATE + 15)
        self.never("the callee is told of an invitation that had failed", ben.all("onInviteReceived("))
        self.never("the invitation has failed again", anna.all("onInviteFailed(", failed + 0.001))

    async def unanswered(self, about: str) -> None:
        """TL-19: an invitation with a time that nobody answers."""
        name = f"unanswered-{about}"
        caller, callee = f"anna-{name}", f"ben-{name}"
        await self.owned(KILLED if about == "account" else "a", account=caller)
        await self.owned("b" if about == "account" else KILLED, account=callee)
        anna, ben = await self.terminal(caller), await self.terminal(callee)
        await self.beginning()
        anna.do(f'channelInviteUser2 call-{name} {callee} {{"_timeout":15}}')
        self.is_due("TL-19: the callee is told", await ben.hears(f'onInviteReceived("call-{name}"'), 0, 0)
        await anna.hears(f'onInviteReceivedByPeer("call-{name}"')
        failed = await anna.hears(f'onInviteFailed("call-{name}", "{callee}", 0, 704', 15 + LATE + 5)
        self.is_due(f"TL-19, owner of the {'caller' if about == 'account' else 'callee'}: the invitation has failed", failed, 15, 15)
        await self.second(15 + LATE + 7)
        ben.do(f"channelInviteAccept call-{name} {caller} {{}}")
        await ben.hears('onError("channelInviteAccept"')
        self.never("an invitation that had failed is accepted", anna.all("onInviteAcceptedByPeer("))
        self.never("the invitation has failed again", anna.all("onInviteFailed(", failed + 0.001))

    async def rtm_pair(self, about: str, name: str) -> tuple[Client, Client, Client]:
        anna, bert, hall = f"anna-{name}", f"bert-{name}", f"hall-{name}"
        await self.owned("a" if about == "account" else KILLED, channel=("rtm", hall))
        login = await self.client("rtm", anna, at=KILLED if about == "account" else "a")
        member = await self.client("rtm", anna, hall, at="b")
        await self.client("rtm", bert, at="b")
        return login, member, await self.client("rtm", bert, hall, at="b")

    async def long(self, about: str) -> None:
        """TL-8: longer away than the grace of RTM, and back."""
        login, member, other = await self.rtm_pair(about, f"long-{about}")
        number = member.member
        await self.beginning()
        await asyncio.gather(login.vanish(), member.vanish())
        last = KILL + 30 if about == "account" else 30
        left, record = await other.hears("memberLeft", self.zero, last + LATE + 5, by=number)
        self.is_due(f"TL-8, owner of the {about}: memberLeft", left, 30, last)
        if record["body"]["cause"] != "timeout":
            raise Broken(f"TL-8: the member left with {record['body']['cause']}")
        await self.second(last + LATE + 5)
        login.come_back()
        await login.until_live()
        member.come_back()
        await member.until_live()
        joined, _ = await other.hears("memberJoined", left, 10)
        self.is_due(f"TL-8, owner of the {about}: memberJoined", joined, last + LATE + 5, last + LATE + 5)
        if login.resumed[-1] or member.resumed[-1]:
            raise Broken("TL-8: who was gone for longer than the grace came back as who it was")
        self.never("TL-8: the member left twice", other.all("memberLeft", left + 0.001, by=number))

    async def short(self, about: str) -> None:
        """TL-7: back before the grace is over; what others have said meanwhile arrives once, and in order."""
        login, member, other = await self.rtm_pair(about, f"short-{about}")
        await self.beginning()
        await asyncio.gather(login.vanish(), member.vanish())
        said = [f"message {number}" for number in range(20)]
        for number, text in enumerate(said):
            await self.second(1 + number)
            await other.until_live()
            # What is on its way while its owner dies is not said again here: it would have another number.
            if not KILL - 1 < 1 + number < KILL + LATE:
                await other.command("channelMessage", {"id": f"{number}", "text": text})
        await self.second(25)
        login.come_back()
        await login.until_live()
        member.come_back()
        await member.until_live()
        self.is_due(f"TL-7, owner of the {about}: back", time.monotonic(), 25, 25)
        if not (login.resumed[-1] and member.resumed[-1]):
            raise Broken("TL-7: who was back within the grace is somebody else")
        await self.second(45)
        heard = [record["body"]["text"] for _, record in member.all("channelMessage", self.zero)]
        meant = [text for number, text in enumerate(said) if not KILL - 1 < 1 + number < KILL + LATE]
        if heard != meant:
            raise Broken(f"TL-7: of {len(meant)} messages of the gap {len(heard)} arrived: {heard}")
        self.never("TL-7: others are told of a leave", other.all("memberLeft", self.zero, by=member.member))

    async def taken_over(self, about: str) -> None:
        """TL-13: a second instance signs in while the owner of the account has just been lost."""
        login, member, other = await self.rtm_pair(about, f"taken-{about}")
        await self.beginning()
        await self.second(KILL + 1)
        second = await self.client("rtm", f"anna-taken-{about}", at="a")
        limit = time.monotonic() + LATE
        while login.end is None:
            if time.monotonic() > limit:
                raise Broken("TL-13: the first instance is not told that it was replaced")
            await asyncio.sleep(0.05)
        if login.end.get("kick") != "replaceByOther":
            raise Broken(f"TL-13: the first instance is told {login.end.get('code')}, {login.end.get('kick')}")
        self.is_due(f"TL-13, owner of the {about}: the first instance is told", time.monotonic(), KILL + 1, KILL + 1)
        await self.second(40)
        if not second.is_live.is_set() or len(second.resumed) > 3:
            raise Broken("TL-13: the second instance did not stay in")
        left = other.all("memberLeft", self.zero, by=member.member)
        if [record["body"]["cause"] for _, record in left] not in ([], ["left"], ["replaced"]):
            raise Broken(f"TL-13: the channel is told {[record['body'] for _, record in left]}")

    # The run

    async def live(self) -> None:
        await asyncio.to_thread(self.build)
        self.token = (await asyncio.to_thread(self.boardroom, "token", "sdk", "--role", "writer")).strip()
        self.come_in(Wanderer)
        await self.progress("the beginning")
        timelines: list[Callable[[str], Awaitable[None]]] = [
            lambda about: self.gone(about, 20), self.back, self.uncalled, self.unanswered, self.long, self.short, self.taken_over]
        if not self.options.short:
            timelines.append(lambda about: self.gone(about, 120))
        playing = [asyncio.create_task(timeline(about)) for timeline in timelines for about in ("account", "channel")]
        try:
            await self.play(playing)
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)
            await asyncio.gather(*(client.vanish() for client in self.clients if not client.task.done()),
                                 *(terminal.kill() for terminal in self.terminals))

    async def play(self, playing: list[asyncio.Task]) -> None:
        # All wait for the beginning once they are set up; who fails before it has ended.
        limit = time.monotonic() + 120
        while self.waiting < len(playing):
            self.look()
            self.failed(playing)
            if time.monotonic() > limit:
                raise Broken(f"after 120 s {self.waiting} of {len(playing)} timelines are set up")
            await asyncio.sleep(0.1)
        self.zero = time.monotonic()
        self.began.set()
        self.say(f"{len(playing)} timelines begin")
        await self.second(KILL)
        await asyncio.to_thread(self.node(KILLED).kill)
        self.say(f"node {KILLED} killed")
        while any(not task.done() for task in playing):
            self.look()
            self.failed(playing)
            await asyncio.sleep(0.1)
        self.failed(playing)

    @staticmethod
    def failed(playing: list[asyncio.Task]) -> None:
        for task in playing:
            if task.done() and not task.cancelled() and task.exception():
                raise task.exception()

    def outcome(self, seconds: float) -> dict:
        return {"told in time": len(self.late), "later than due, s": spread(self.late)} | super().outcome(seconds)


def main() -> int:
    options = parser("tools/try-cluster timelines", rooms=2, members=6)
    options.add_argument("--short", action="store_true", help="without those of 120 s: a minute and a half in place of three")
    options = options.parse_args()
    seed = seeded(options)
    return Timelines(options, seed).carry_out()


if __name__ == "__main__":
    sys.exit(main())
