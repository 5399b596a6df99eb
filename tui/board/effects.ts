import type { WireEvent } from "../../lib/contracts/wire/wire.js";
import { sanitizeLine } from "../draw/sanitize.js";
import type { EffectContext, EffectRunner } from "../effects/effect.js";
import { pageOf } from "./feeding/answer.js";
import { createReader } from "./feeding/reader.js";
import { createSeverities } from "./feeding/severities.js";
import { COLUMNS, type Column, type TaskCard } from "./state.js";

const FIRST = 100; // cards of each column that are read before anything is shown
const PAGE = 1_000;

/** One board that is shown, until another one is. */
interface Shown extends EffectContext {
  /** Undefined: the one that commands use. */
  readonly slug: string | undefined;
  readonly opened: Condition;
}

/** The shown board: read once, then told card by card what has changed. */
export function createBoardEffects(context: EffectContext): EffectRunner {
  const { signal, run, client } = context;
  const opened = createCondition();
  let current: AbortController | undefined;
  let slug: string | undefined;
  let following: Following | undefined;
  const show = () => {
    current?.abort();
    const own = new AbortController();
    current = own;
    const shown = {
      ...context,
      slug,
      opened,
      signal: AbortSignal.any([signal, own.signal]),
      ...talking(context, own.signal),
    };
    following = createFollowing(shown);
    run("failed to follow the board", () => followBoard(shown, following ?? createFollowing(shown)));
  };
  return {
    start: () => {
      run("failed to follow new boards", async () => {
        await client.topics(["boards"], () => opened.notifyAll());
      });
      show();
    },
    perform: (effect) => {
      if (effect.do === "reload") show();
      if (effect.do === "board.show") {
        slug = effect.slug;
        show();
      }
      if (effect.do === "board.more") following?.more(effect.slug, effect);
    },
    stop: () => current?.abort(),
  };
}

/** Events of a board that is no longer shown are dropped. */
function talking(context: EffectContext, ended: AbortSignal): Pick<EffectContext, "send" | "run"> {
  return {
    send: (message) => {
      if (!ended.aborted) context.send(message);
    },
    run: (what, work) =>
      context.run(what, () =>
        work().catch((error: unknown) => {
          if (!ended.aborted) throw error;
        }),
      ),
  };
}

interface Following {
  begin(slug: string): void;
  changed(events: readonly WireEvent[]): void;
  more(slug: string, wanted: Wanted): void;
}

/** Read the board, follow its events, and start over where they have a gap. */
async function followBoard(shown: Shown, following: Following): Promise<void> {
  while (!shown.signal.aborted) {
    const page = await first(shown);
    if (page === undefined) return;
    following.begin(page.slug);
    await drain(shown, page, following);
  }
}

/** The beginning of every column. A board that can not be read says why; `r` asks again. */
async function first({
  client,
  signal,
  send,
  slug,
  options,
}: Shown): Promise<{ slug: string; seq: number } | undefined> {
  try {
    const answer = await client.call(
      "board.cards",
      { ...boardParam(slug), env: pinOf(options.env), limit: FIRST },
      { signal, repeat: true },
    );
    const { told, cards, seq } = pageOf(answer);
    send({ type: "board.read", ...told, cards });
    return { slug: told.slug, seq };
  } catch (error) {
    if (!signal.aborted)
      send({ type: "board.failed", message: sanitizeLine(error instanceof Error ? error.message : String(error)) });
    return undefined;
  }
}

const boardParam = (slug: string | undefined) => (slug === undefined ? {} : { board: slug });

/** The board that the caller's environment names. */
function pinOf(env: Readonly<Record<string, string>>): Record<string, string> {
  const pins = ["AGENT_KANBAN_BOARD", "AGENT_KANBAN_DB"];
  return Object.fromEntries(pins.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** Events until there is a gap. A board that was not written yet is waited for. */
async function drain(
  { client, signal, opened }: Shown,
  from: { slug: string; seq: number },
  following: Following,
): Promise<void> {
  const woken = opened.wait(signal); // before the board is asked for: it may be made while the answer is on its way
  try {
    for await (const item of client.subscribe(`board:${from.slug}`, { after: from.seq, signal })) {
      if (item.kind === "reset") return;
      following.changed(item.events);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof Error && "code" in error && error.code === "E_NOT_FOUND")) throw error;
    await woken;
  }
}

function createFollowing(shown: Shown): Following {
  const reader = createReader(shown);
  const severities = createSeverities(shown);
  const rest = createRest(shown);
  return {
    begin: (named) => {
      reader.begin(named);
      shown.run("failed to read the board", async () => {
        for (const column of COLUMNS)
          if (column !== "done" && column !== "archived") await rest(named, { column, last: undefined, all: true });
        severities.begin(named);
      });
    },
    changed: (events) => severities.changed(reader.changed(events)),
    more: (slug, wanted) => shown.run("failed to read the board", () => rest(slug, wanted)),
  };
}

interface Wanted {
  readonly column: Column;
  readonly last: TaskCard | undefined;
  readonly all: boolean;
}

/** Reads on in a column: the next page, or all that follow. What is read already is not asked for a second time. */
function createRest({ client, signal, send }: Shown) {
  const reading = new Map<Column, { all: boolean }>();
  const read = async (slug: string, { column, last }: Wanted, mine: { all: boolean }) => {
    let after = last;
    while (!signal.aborted) {
      const params = {
        board: slug,
        status: column,
        limit: PAGE,
        ...(after === undefined ? {} : { after: placeOf(after) }),
      };
      const { told, cards } = pageOf(await client.call("board.cards", params, { signal, repeat: true }));
      send({ type: "board.page", ...told, column, cards });
      after = cards.at(-1);
      if (!mine.all || cards.length < PAGE) return;
    }
  };
  return async (slug: string, wanted: Wanted): Promise<void> => {
    const running = reading.get(wanted.column);
    if (running !== undefined) {
      running.all ||= wanted.all;
      return;
    }
    const mine = { all: wanted.all };
    reading.set(wanted.column, mine);
    await read(slug, wanted, mine).finally(() => reading.delete(wanted.column));
  };
}

const placeOf = ({ priority, createdAt, endedAt, made }: TaskCard) => ({
  priority,
  created_at: createdAt,
  ended_at: endedAt,
  made,
});

/** Something that is waited for, rung by another part. */
interface Condition {
  notifyAll(): void;
  wait(signal: AbortSignal): Promise<void>;
}

/** A bell without a waiter. */
function createCondition(): Condition {
  let wake: (() => void)[] = [];
  return {
    notifyAll: () => {
      const woken = wake;
      wake = [];
      for (const one of woken) one();
    },
    wait: (signal) =>
      new Promise<void>((resolve) => {
        wake.push(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
}
