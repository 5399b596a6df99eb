import type { Store, Tx } from "../../../storage/store.js";
import { getValue, setValue } from "../../../storage/tables/state/state-values.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs } from "../../base/units.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { LastState } from "../../contracts/gateway/life.js";

/** What outlives the process about its gateway. */
export interface LifeRecords {
  last(): Promise<LastState | undefined>;
  note(state: string, reason: string | null): Promise<void>;
  /** It was stopped on purpose, and was not started since. */
  stopped(): Promise<boolean>;
  setStopped(stopped: boolean): Promise<void>;
  /** The chat that asked for a restart which has not come to its end yet. */
  asker(): Promise<ChatOrigin | undefined>;
  setAsker(asker: ChatOrigin): Promise<void>;
  /** When chats were last told that the gateway is back, by lane. */
  told(): Promise<Readonly<Record<string, EpochMs>>>;
}

const LAST = "gateway.life.last";
const STOPPED = "gateway.life.stopped";
const ASKER = "gateway.life.asker";
const TOLD = "gateway.life.told";
const NOBODY = "null";

export function createRecords(store: Store, clock: Clock): LifeRecords {
  const read = async <T>(key: string): Promise<T | undefined> => {
    const text = await store.read((q) => getValue(q, key));
    return text === undefined ? undefined : (JSON.parse(text) ?? undefined);
  };
  const write = async (key: string, value: unknown) => {
    const now = clock.now();
    const text = JSON.stringify(value);
    await store.write("gateway.life", (tx) => setValue(tx, key, text, now));
  };
  return {
    last: () => read<LastState>(LAST),
    note: (state, reason) => write(LAST, { state, at: clock.now(), pid: process.pid, reason } satisfies LastState),
    stopped: async () => (await read<boolean>(STOPPED)) === true,
    setStopped: (stopped) => write(STOPPED, stopped),
    asker: () => read<ChatOrigin>(ASKER),
    setAsker: (asker) => write(ASKER, asker),
    told: async () => (await read<Readonly<Record<string, EpochMs>>>(TOLD)) ?? {},
  };
}

/** Note who was notified, and that no one waits for a notice any longer; in the transaction that stores the notices. */
export async function noteTold(tx: Tx, told: Readonly<Record<string, EpochMs>>, now: EpochMs): Promise<void> {
  await setValue(tx, TOLD, JSON.stringify(told), now);
  await setValue(tx, ASKER, NOBODY, now);
}
