import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { type SimDisk, simDisk } from "../../../fixtures/ports/disk.js";
import { type Random, seeded } from "../../../fixtures/ports/random.js";
import { boardRowsOf } from "../../../fixtures/sim/board-rows.js";
import { type BoardWorld, boardWorld, DEFAULT, mapConfig, USER } from "../../../fixtures/sim/board-world.js";
import { owedOnce } from "../../../fixtures/sim/check-ledger.js";
import { silentLog } from "../../base/log/log.js";
import { testSignal } from "../../base/process/signal.js";
import type { NoticeKey, NoticeOutcome, Notifier } from "../../contracts/board/notifier.js";
import { createDeliverer } from "./deliverer.js";

const first = Number(process.env["AGENT_SEED"] ?? "1");
const sequences = Number(process.env["AGENT_SEQUENCES"] ?? "60");
const HOUR_MS = 3_600_000;

const nameOf = ({ subscription, event }: NoticeKey): string => `${subscription}/${event}`;

/** A platform that remembers keys: what it holds outlives every owner. */
class Platform {
  readonly arrived: string[] = [];
  readonly #random: Random;
  kind = true;
  life = 0;
  /** Makes the owner that lives look again. */
  ring: () => void = () => undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  /** As the owner of one life sees it: a dead owner reaches no one. */
  of(life: number): Notifier {
    return {
      reach: () => ({ replies: true, fileBytes: 0 }),
      hand: async (notice) => {
        if (life !== this.life) return new Promise(() => undefined);
        return this.#take(nameOf(notice));
      },
      recall: async (key) =>
        this.arrived.includes(nameOf(key)) ? { result: "accepted", message_id: "again" } : { result: "never" },
      onChange: (listener) => {
        this.ring = listener;
        return () => undefined;
      },
    };
  }

  #take(key: string): NoticeOutcome {
    const fate = this.kind ? 9 : this.#random.below(10);
    if (fate === 0) throw new Error("reset");
    if (fate <= 2) return { result: "failed", error: "503" };
    if (fate > 3 || this.#random.chance(0.5)) this.arrived.push(key);
    return fate === 3 ? { result: "unknown", error: "timeout" } : { result: "accepted", message_id: key };
  }
}

class History {
  readonly #random: Random;
  readonly #clock = manualClock();
  readonly #platform: Platform;
  #disk: SimDisk = simDisk();

  constructor(seed: number) {
    this.#random = seeded(seed);
    this.#platform = new Platform(this.#random);
  }

  /** Lives that end in a crash, and one in which everything is told. @returns what is wrong afterwards */
  async all(): Promise<readonly string[]> {
    this.#platform.kind = false;
    for (let life = 0; life < 4; life++) await this.#live();
    this.#platform.kind = true;
    return this.#last();
  }

  async #begin() {
    this.#platform.life += 1;
    const { life } = this.#platform;
    const world = boardWorld({ disk: this.#disk, clock: this.#clock, seed: life * 64, rehearse: false });
    await world.board.subscribe(DEFAULT, { platform: "msgt", chat_id: "5" }, USER);
    const rounds = testSignal<number>();
    const kernel = { ...world.board, slugs: async () => [DEFAULT] };
    const deps = { clock: this.#clock, config: mapConfig(world.settings), log: silentLog, signals: { rounds } };
    const service = createDeliverer({ ...deps, kernel, notifier: this.#platform.of(life) });
    await service.start();
    return { world, rounds, service };
  }

  async #live(): Promise<void> {
    const { world, rounds } = await this.#begin();
    const now = () => ({ disk: this.#disk.fork(), arrived: this.#platform.arrived.length });
    const points: ReturnType<typeof now>[] = [];
    this.#disk.faults.onOp = () => points.push(now());
    for (let n = 2 + this.#random.below(8); n > 0; n--) {
      await this.#happen(world);
      for (let round = this.#random.below(4); round > 0; round--) {
        this.#clock.advance(this.#random.pick([0, 5_000, 30_000, HOUR_MS]));
        this.#platform.ring();
        await rounds.next();
      }
    }
    this.#disk.faults.onOp = undefined;
    const wreck = (this.#random.chance(0.5) ? undefined : points.at(-1 - this.#random.below(3))) ?? now();
    this.#platform.life += 1; // dead from here on
    this.#platform.arrived.length = wreck.arrived; // what came after that moment did not happen
    this.#disk = wreck.disk.stop(this.#random.chance(0.5) ? "power" : "kill", this.#random);
    await world.close();
  }

  async #happen({ board }: BoardWorld): Promise<void> {
    const { task } = await board.create(DEFAULT, { title: "one" }, USER);
    if (this.#random.chance(0.5))
      await board.subscribe(DEFAULT, { platform: "msgt", chat_id: "6", task: task.id }, USER);
    await board.block(DEFAULT, task.id, { reason: "r" }, USER);
    if (this.#random.chance(0.5)) await board.unblock(DEFAULT, task.id, {}, USER);
    if (this.#random.chance(0.5)) await board.complete(DEFAULT, task.id, {}, USER);
  }

  async #last(): Promise<readonly string[]> {
    const { world, rounds, service } = await this.#begin();
    const open = async () =>
      (await world.board.deliveries(DEFAULT)).filter((row) => row.state === "pending" || row.state === "sending");
    for (let tries = 0; (await open()).length > 0; tries++) {
      assert.ok(tries < 500, "something is never told");
      this.#clock.advance(HOUR_MS);
      this.#platform.ring();
      await rounds.next();
    }
    await service.stop(0);
    const rows = await (await world.store()).read(boardRowsOf);
    const twice = this.#platform.arrived.filter((key, at, all) => all.indexOf(key) !== at);
    const sent = rows.deliveries
      .filter((row) => row.state === "sent")
      .map((row) => `${row.subscription_id}/${row.event_id}`);
    await world.close();
    return [
      ...owedOnce({ boards: [rows], told: { created: [], lost: [], closed: new Map() } }),
      ...twice.map((key) => `${key} was told twice`),
      ...sent
        .filter((key) => !this.#platform.arrived.includes(key))
        .map((key) => `${key} is said to be sent and did not arrive`),
    ];
  }
}

test("whatever fails and wherever an owner dies, a message is told at most once and never forgotten", async () => {
  for (let seed = first; seed < first + sequences; seed++) {
    assert.deepEqual(await new History(seed).all(), [], `AGENT_SEED=${seed} AGENT_SEQUENCES=1`);
  }
});
