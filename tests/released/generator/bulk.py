"""Large random databases that keep every contract of the small ones; the seed decides all.

base = grow(path, events=1_000_000, agents=400, seed=7)
base, continuation = grow_pair(folder, events=200_000, seed=7)
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

from tests.released.generator.core import Settings
from tests.released.generator.dealing import World
from tests.released.generator.matching import BANDS, band_of
from tests.released.generator.rows import TERMINAL, Json, Thread
from tests.released.generator.seeding import seed_unit

BASE_TICKS = 360
FORK_TICKS = 84
_THINGS: dict[str, str] = {
    "electronics-phones": "phone|tablet|headset|charger",
    "home-goods": "table lamp|kettle|mirror|clock",
    "sports": "road bike|tennis racket|rowing machine|kayak",
    "music": "acoustic guitar|keyboard|violin|drum kit",
    "tools": "cordless drill|band saw|torque wrench|ladder",
    "clothing": "winter coat|running shoes|leather boots|silk scarf",
}
_BRANDS = "Acme|Norvik|Œuvre|Kestrel|Tadpole|Ünder"
_SUFFIXES = ("", "", "", " – great deal", " (must go)", " 2nd owner")
_WORDS = ("Still there?", "Could you do a bit less?", "I can meet tomorrow.", "Très bien, merci!")
_TIERS = ("power_seller", "established", "casual", "newcomer", "pure_buyer", None)


def _goods() -> list[tuple[str, str]]:
    return [
        (f"{brand} {thing}", category)
        for category, things in _THINGS.items()
        for thing in things.split("|")
        for brand in _BRANDS.split("|")
    ]


def _bare(title: str) -> str:
    """Without what a former owner added, or titles would grow with every resale."""
    for suffix in _SUFFIXES:
        title = title.removesuffix(suffix)
    return title


class _Crowd:
    """Agents that act at random on what they could see."""

    def __init__(self, world: World, agents: int, seed: int) -> None:
        self.world = world
        self.draw = Random(seed)
        self.goods = _goods()
        self.mine: dict[int, list[int]] = defaultdict(list)
        self.talks: dict[int, list[int]] = defaultdict(list)
        self.inbox: dict[int, list[int]] = defaultdict(list)
        self.to_fix: dict[int, list[int]] = defaultdict(list)
        self.dates: dict[int, list[int]] = defaultdict(list)
        self.reports_left = 60
        self.people = [self._person(number) for number in range(1, agents + 1)]
        bots = [world.add_agent(f"history_bot_{n}", seeded=True) for n in (1, 2)]
        for person in self.people[::3]:
            title, category = self.draw.choice(self.goods)
            days = self.draw.randint(2, 120)
            sold = self.draw.random() < 0.7
            world.history(
                person, self.draw.choice(bots), title, category=category, days=days, sold=sold
            )
        for person in self.people:
            for index in range(min(2, len(world.agents[person].units))):
                self.mine[person].append(world.initial_listing(person, index))
        # What agents do, as often as the numbers say; what they cannot do becomes a look around.
        weighted: list[tuple[Callable[[int], None], int]] = [
            (self._look, 30),
            (self._write, 16),
            (self._offer, 14),
            (self._answer, 16),
            (self._fix, 8),
            (self._hand_over, 14),
            (self._list, 5),
            (self._tend, 3),
            (self._show, 2),
            (self._part, 1),
            (self._idle, 2),
            (self._judge, 1),
        ]
        self.moves = [move for move, weight in weighted for _ in range(weight)]

    def _person(self, number: int) -> int:
        draw = self.draw
        units = []
        for _ in range(draw.randint(2, 6)):
            title, category = draw.choice(self.goods)
            asking = draw.randrange(500, 50_000, 50)
            quality = draw.randint(60, 81)
            cost = int(asking * draw.uniform(0.35, 0.72))
            units.append(seed_unit(title, category, quality=quality, asking=asking, cost=cost))
        privacy = draw.choice([0.0, 0.3, 0.5, 0.8, 1.0])
        tier = draw.choice(_TIERS)
        return self.world.add_agent(f"person_{number:04d}", units, privacy=privacy, tier=tier)

    def play(self, ticks: Iterable[int], last_event: int) -> None:
        """Spread what is left up to `last_event` evenly over the ticks."""
        remaining = list(ticks)
        for position, tick in enumerate(remaining):
            self.world.advance_to(tick)
            left = len(remaining) - position
            goal = self.world.last_event + (last_event - self.world.last_event) // left
            active = [person for person in self.people if self.draw.random() < 0.7]
            for nth, person in enumerate(active):
                share = (goal - self.world.last_event) // (len(active) - nth)
                until = self.world.last_event + max(share, 0)
                if self.draw.random() < 0.05:
                    self.world.thoughts[person] = f"I weigh what I know at tick {tick}."
                while self.world.last_event < until:
                    self.draw.choice(self.moves)(person)

    # -------------------------------------------------------------------------------------- looking

    def _look(self, agent: int) -> None:
        kind = self.draw.random()
        title, category = self.draw.choice(self.goods)
        if kind < 0.1:
            word = title.rsplit(" ", 1)[-1]
            cap = 60_000 if kind < 0.05 else None
            self.world.search(agent, query=word, category=category, max_price_cents=cap)
        elif kind < 0.2:
            self.world.browse_category(agent, category=category)
        elif kind < 0.25:
            self.world.view_profile(agent, user_agent_id=self.draw.choice(self.people))
        elif kind < 0.252:
            self.world.view_listing(agent, listing_id=10**9)
        else:
            self.world.view_listing(agent, listing_id=self._any_listing())

    def _any_listing(self) -> int:
        last = next(reversed(self.world.listings))
        # The feed shows what is fresh.
        return max(1, last - int(self.draw.expovariate(1 / 300)))

    def _wanted(self, agent: int) -> int | None:
        for _ in range(4):
            listing = self.world.listings[self._any_listing()]
            own = listing.owner_agent_id == agent
            if listing.status == "active" and not own:
                thread = self.world.thread_of.get((agent, listing.listing_id))
                if thread is None or self.world.threads[thread].status == "open":
                    return listing.listing_id
        return None

    def _thread(self, agent: int, kept: dict[int, list[int]]) -> Thread | None:
        """A thread that is still alive, forgetting those that are not."""
        numbers = kept[agent]
        while numbers:
            position = self.draw.randrange(len(numbers))
            thread = self.world.threads[numbers[position]]
            if thread.status not in TERMINAL:
                return thread
            numbers[position] = numbers[-1]
            numbers.pop()
        return None

    def _enter(self, agent: int, thread_id: int, listing_id: int) -> None:
        if thread_id in self.talks[agent][-20:]:
            return
        self.talks[agent].append(thread_id)
        owner = self.world.listings[listing_id].owner_agent_id
        if owner is not None:
            self.talks[owner].append(thread_id)

    def _write(self, agent: int) -> None:
        body = self.draw.choice(_WORDS)
        thread = self._thread(agent, self.talks)
        if thread is not None and self.draw.random() < 0.8:
            self.world.message(agent, body=body, thread_id=thread.thread_id)
            return
        wanted = self._wanted(agent)
        if wanted is None:
            self._look(agent)
            return
        answer = self.world.message(agent, body=body, listing_id=wanted)
        if answer.ok:
            self._enter(agent, answer["thread_id"], wanted)

    # -------------------------------------------------------------------------------------- dealing

    def _offer(self, agent: int) -> None:
        wanted = self._wanted(agent)
        if wanted is None:
            self._look(agent)
            return
        listing = self.world.listings[wanted]
        price = int(listing.price_cents * self.draw.uniform(0.7, 1.0))
        answer = self.world.make_offer(agent, listing_id=wanted, price_cents=price)
        if answer.ok and listing.owner_agent_id is not None:
            self._enter(agent, answer["thread_id"], wanted)
            self.inbox[listing.owner_agent_id].append(answer["offer_id"])

    def _answer(self, agent: int) -> None:
        if not self.inbox[agent]:
            self._look(agent)
            return
        offer = self.world.offers[self.inbox[agent].pop()]
        thread = self.world.threads[offer.thread_id]
        other = offer.proposer_id
        if self.draw.random() < 0.25 and offer.status == "pending" and thread.status == "open":
            price = int(offer.price_cents * 1.1)
            answer = self.world.counter_offer(agent, offer_id=offer.offer_id, price_cents=price)
            self.inbox[other].append(answer["offer_id"])
            return
        answer = self.world.accept_offer(agent, offer_id=offer.offer_id)
        if answer.ok:
            self.to_fix[self.draw.choice([agent, other])].append(thread.thread_id)

    def _fix(self, agent: int) -> None:
        thread = self._thread(agent, self.to_fix)
        if thread is None:
            self._look(agent)
            return
        self.to_fix[agent].remove(thread.thread_id)
        number = thread.thread_id
        if self.draw.random() < 0.6:
            when = self.world.tick + self.draw.randint(0, 8)
            pay = self.draw.choice(["cash", "zelle", "venmo", "on_platform"])
            answer = self.world.schedule_meetup(
                agent, thread_id=number, scheduled_tick=when, payment_method=pay
            )
        else:
            lag = self.draw.randint(1, 12)
            answer = self.world.schedule_shipment(agent, thread_id=number, delivery_lag_ticks=lag)
        if answer.ok:
            for side in (thread.buyer_agent_id, thread.seller_agent_id):
                if side is not None:
                    self.dates[side].append(answer["meetup_id"])

    def _hand_over(self, agent: int) -> None:
        world, numbers = self.world, self.dates[agent]
        while numbers and world.meetups[numbers[0]].status != "scheduled":
            numbers.pop(0)
        if not numbers:
            self._look(agent)
            return
        meetup = world.meetups[numbers[0]]
        number = meetup.meetup_id
        buyer = world.threads[meetup.thread_id].buyer_agent_id == agent
        if self.draw.random() < 0.04:
            world.cancel_meetup(agent, meetup_id=number, reason="no time")
        elif (
            buyer
            and meetup.delivery_method == "meetup"
            and meetup.buyer_inspected_quality_pct is None
            and self.draw.random() < 0.95
        ):
            world.inspect_at_meetup(agent, meetup_id=number)
        else:
            proof = meetup.handoff_token if self.draw.random() < 0.1 else None
            world.complete_transaction(agent, meetup_id=number, handoff_proof=proof)
        # The next one's turn, so that nobody waits for one meetup for ever.
        numbers.append(numbers.pop(0))

    # -------------------------------------------------------------------------------------- selling

    def _list(self, agent: int) -> None:
        units = self.world.agents[agent].units
        free = [unit for unit in units[-40:] if unit.get("sold_at_tick") is None]
        if free and self.draw.random() < 0.93:
            unit: Json = self.draw.choice(free)
        else:
            title, category = self.draw.choice(self.goods)
            unit = {"title": title, "category": category, "asking_price_cents": 9_000}
        quality = unit.get("ground_truth_quality_pct")
        band = None if quality is None else band_of(quality)
        if self.draw.random() < 0.2:
            band = self.draw.choice(list(BANDS))
        answer = self.world.create_listing(
            agent,
            category=unit["category"],
            title=_bare(unit["title"]) + self.draw.choice(_SUFFIXES),
            description="Naïve notes, “as is”. " * self.draw.randint(0, 6),
            price_cents=int(unit["asking_price_cents"] * self.draw.uniform(0.8, 1.2)),
            stated_quality_band=band,
        )
        if answer.ok:
            self.mine[agent].append(answer["listing_id"])

    def _tend(self, agent: int) -> None:
        if not self.mine[agent]:
            self._list(agent)
            return
        listing_id = self.draw.choice(self.mine[agent][-30:])
        price = self.world.listings[listing_id].price_cents
        kind = self.draw.random()
        if kind < 0.5:
            self.world.edit_listing(agent, listing_id=listing_id, price_cents=int(price * 0.95))
        elif kind < 0.8:
            self.world.bump_listing(agent, listing_id=listing_id)
        elif kind < 0.9:
            self.world.mark_sold(agent, listing_id=listing_id)
        else:
            self.world.relist(agent, listing_id=listing_id)

    def _show(self, agent: int) -> None:
        thread = self._thread(agent, self.talks)
        if thread is None:
            self._look(agent)
            return
        number, listing = thread.thread_id, thread.listing_id
        kind = self.draw.random()
        if kind < 0.2:
            self.world.request_photo(agent, thread_id=number, focus_hint="the back")
        elif kind < 0.4:
            self.world.send_stock_photo(agent, thread_id=number, listing_id=listing)
        else:
            mode = self.draw.choice(["normal", "normal", "paranoid", "trust-building"])
            self.world.send_photo(agent, thread_id=number, listing_id=listing, privacy_mode=mode)

    def _part(self, agent: int) -> None:
        thread = self._thread(agent, self.talks)
        if thread is None:
            self._look(agent)
        elif self.draw.random() < 0.7:
            self.world.leave_thread(agent, thread_id=thread.thread_id)
        else:
            self.world.ghost(agent, thread_id=thread.thread_id)

    def _idle(self, agent: int) -> None:
        kind = self.draw.random()
        if kind < 0.3:
            self.world.do_nothing(agent)
        elif kind < 0.5:
            self.world.wait(agent, ticks=4)
        elif kind < 0.7:
            self.world.pin(agent, listing_id=self._any_listing())
        elif kind < 0.8 and self.talks[agent]:
            self.world.read(agent, thread_id=self.talks[agent][-1])
        elif kind < 0.85:
            self.world.rejected(agent, "make_offer", '{"listing_id": "none"')
            self.world.do_nothing(agent)
        else:
            self.world.recall(agent, query="fair prices")

    def _judge(self, agent: int) -> None:
        other = self.draw.choice(self.people)
        if self.reports_left and self.draw.random() < 0.02 and other != agent:
            self.reports_left -= 1
            self.world.report_user(agent, user_agent_id=other, reason="never came")
            return
        thread = next(
            (
                self.world.threads[number]
                for number in self.talks[agent][-10:]
                if self.world.threads[number].status in ("completed", "cancelled")
            ),
            None,
        )
        if thread is not None and thread.seller_agent_id is not None:
            sides = (thread.buyer_agent_id, thread.seller_agent_id)
            whom = sides[0] if agent == sides[1] else sides[1]
            stars = self.draw.randint(1, 5)
            self.world.rate(agent, ratee_agent_id=whom, stars=stars, thread_id=thread.thread_id)
        else:
            self.world.rate(agent, ratee_agent_id=other, stars=self.draw.randint(1, 5))


def _world(path: Path, settings: Settings | None, seed: int) -> World:
    world = World(path, settings)
    # The true feed weighs every active listing for every agent; the freshest decide it anyway.
    world.settings.feed_pool = world.settings.feed_pool or 30
    world.restock_seed = seed
    return world


def grow(
    path: Path,
    *,
    events: int = 1_000_000,
    agents: int = 400,
    ticks: int = BASE_TICKS,
    seed: int = 0,
    settings: Settings | None = None,
) -> Path:
    """Write a base of about `events` rows in its log (never fewer than its set-up needs)."""
    world = _world(path, settings, seed)
    crowd = _Crowd(world, agents, seed)
    world.start_run(ticks)
    crowd.play(range(1, ticks + 1), events)
    world.end_run(ticks)
    return world.close()


def grow_pair(
    folder: Path,
    *,
    events: int = 200_000,
    agents: int = 100,
    ticks: tuple[int, int] = (BASE_TICKS, FORK_TICKS),
    seed: int = 0,
    settings: Settings | None = None,
) -> tuple[Path, Path]:
    """Write a base and its continuation; `events` is what the continuation's log holds in all.

    Every fifth agent is treated, from the first on, as in the reported design.
    """
    base_ticks, fork_ticks = ticks
    world = _world(folder / "base.db", settings, seed)
    crowd = _Crowd(world, agents, seed)
    world.start_run(base_ticks)
    crowd.play(range(1, base_ticks + 1), events * base_ticks // (base_ticks + fork_ticks))
    world.end_run(base_ticks)
    treated = crowd.people[::5]
    base = world.fork(folder / "continuation.db", horizon=fork_ticks, treated=treated)
    for begin in range(base_ticks + 1, base_ticks + fork_ticks + 1, 12):
        end = min(begin + 11, base_ticks + fork_ticks)
        world.start_run(end - begin + 1)
        share = (base_ticks + fork_ticks - begin + 1) / (end - begin + 1)
        goal = world.last_event + int((events - world.last_event) / share)
        crowd.play(range(begin, end + 1), goal)
        world.end_run(end)
    return base, world.close()


if __name__ == "__main__":
    target, *numbers = sys.argv[1:]
    size, people, start = (*map(int, numbers), *(1_000_000, 400, 0)[len(numbers) :])
    grow(Path(target), events=size, agents=people, seed=start)
