import { createMailbox } from "../../base/async/mailbox.js";
import { AppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { AppOptions } from "../../config/app-options.js";
import type {
  HeldListener,
  ListenerKind,
  ListenerPlan,
  LiveListener,
  OpenListener,
} from "../../contracts/owner/listeners.js";

/** The listeners that were opened in this owner beside its own door. */
export interface Listeners {
  /**
   * Open a listener, or find the one that serves the same at the same place.
   *
   * @throws E_CONFLICT naming what holds the place; what the plan throws
   */
  open(plan: ListenerPlan, heldBy: OpenListener["heldBy"]): Promise<HeldListener>;
  list(kind: ListenerKind): readonly OpenListener[];
  /** Close those that fit. @returns how many there were */
  close(fits: (listener: OpenListener) => boolean): Promise<number>;
  /** Why the listener that should have been opened with the owner was not; undefined when it was, or none was wanted. */
  failure(kind: ListenerKind): string | undefined;
  /** Open what is wanted from the start of an owner that stays. A failure is noted and told, and stops nothing. */
  openWithOwner(kind: ListenerKind, open: () => Promise<HeldListener>): Promise<void>;
  /** Close all of them; none is opened afterwards. */
  stop(): Promise<void>;
}

/** Milliseconds that requests on a closing listener get to end (proxy part, 3.7). */
const GRACE_MS = 10_000;

/** Requests to open or close that may wait. */
const WAITING_MAX = 64;

interface Entry {
  readonly open: OpenListener;
  readonly live: LiveListener;
  readonly end: (why: "closed" | "owner") => void;
}

export function createListeners(deps: {
  readonly clock: Clock;
  readonly told: (kind: ListenerKind, why: string) => void;
}): Listeners {
  const entries = new Set<Entry>();
  const failures = new Map<ListenerKind, string>();
  // One after the other: two that want the same place at the same time must not both find it free.
  const order = createMailbox("listeners", WAITING_MAX);
  let stopped = false;
  const closing = new Set<Promise<void>>();
  const shut = async (entry: Entry, why: "closed" | "owner", grace: Ms = GRACE_MS) => {
    entries.delete(entry);
    const close = entry.live.close(grace);
    closing.add(close);
    await close;
    closing.delete(close);
    entry.end(why);
  };
  const open = async (plan: ListenerPlan, heldBy: OpenListener["heldBy"]): Promise<HeldListener> => {
    if (stopped) throw new AppError("E_OWNER", "the owner is stopping; no new listeners");
    const there = find(entries, plan);
    if (there)
      return {
        listener: there.open,
        already: true,
        closed: new Promise(() => undefined),
        close: async () => undefined,
      };
    const live = await taken(entries, plan);
    const { entry, closed } = entryOf(plan, live, heldBy, deps.clock.now());
    entries.add(entry);
    return { listener: entry.open, already: false, closed, close: (grace) => shut(entry, "closed", grace) };
  };
  return {
    open: (plan, heldBy) => order.post(() => open(plan, heldBy)),
    list: (kind) => [...entries].map((entry) => entry.open).filter((one) => one.kind === kind),
    close: async (fits) => {
      const chosen = [...entries].filter((entry) => fits(entry.open));
      await Promise.all(chosen.map((entry) => shut(entry, "closed")));
      return chosen.length;
    },
    failure: (kind) => failures.get(kind),
    openWithOwner: async (kind, begin) => {
      failures.delete(kind);
      try {
        await begin();
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        failures.set(kind, why);
        deps.told(kind, why);
      }
    },
    stop: async () => {
      stopped = true;
      await order.idle();
      await Promise.all([...closing, ...[...entries].map((entry) => shut(entry, "owner"))]);
    },
  };
}

/** The listeners of this owner. One that cannot be opened with the owner is reported in the log. */
export function buildListeners({ clock, log }: AppOptions): Listeners {
  return createListeners({
    clock,
    told: (kind, why) => log.child(kind).error("failed to open the listener", { reason: why }),
  });
}

function find(entries: ReadonlySet<Entry>, plan: ListenerPlan): Entry | undefined {
  if (plan.port === 0) return undefined;
  const here = [...entries].find(({ open }) => open.host === plan.host && open.port === plan.port);
  if (here && (here.open.kind !== plan.kind || here.open.serves !== plan.serves)) throw conflict(plan, here.open);
  return here;
}

/** The system does not say who of this process holds a port under another name or address of it. */
async function taken(entries: ReadonlySet<Entry>, plan: ListenerPlan): Promise<LiveListener> {
  try {
    return await plan.open();
  } catch (error) {
    const holder = [...entries].find(({ open }) => plan.port !== 0 && open.port === plan.port);
    throw holder ? conflict(plan, holder.open) : error;
  }
}

function conflict(plan: ListenerPlan, holder: OpenListener): AppError {
  const what = holder.kind === holder.serves ? `the ${holder.kind}` : `the ${holder.kind} of ${holder.serves}`;
  return new AppError("E_CONFLICT", `${plan.host}:${plan.port} is used by ${what} at ${holder.url}`, {
    url: holder.url,
    hint: `agent ${holder.kind} stop closes it; --port selects another port`,
  });
}

function entryOf(plan: ListenerPlan, live: LiveListener, heldBy: OpenListener["heldBy"], since: EpochMs) {
  let end: Entry["end"] = () => undefined;
  const closed = new Promise<"closed" | "owner">((resolve) => {
    end = resolve;
  });
  const { kind, serves, host } = plan;
  const open: OpenListener = { kind, serves, host, port: live.port, url: live.url, since, heldBy };
  return { entry: { open, live, end }, closed };
}
