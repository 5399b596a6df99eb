import { AppError } from "../../lib/base/errors.js";
import { runBody } from "../body.js";
import { EVENTS_AFTER, LAST_SEQ, toStoredEvent } from "../events.js";
import type { Query, Store, Tx } from "../store.js";
import type { Link } from "./link.js";

/** The store contract over a link to an engine. */
export function storeOver(link: Link, rehearse: boolean): Store & { checkpoint(): Promise<void> } {
  const read = async <T>(body: (q: Query) => Promise<T>) =>
    runBody(await link.begin("read", "read"), { kind: "read", label: "read", rehearse: false }, body);
  const write = async <T>(label: string, body: (tx: Tx) => Promise<T>) =>
    runBody(await link.begin("write", label), { kind: "write", label, rehearse }, body);
  return {
    name: link.name,
    read,
    write,
    script: (label, steps, events = []) => link.script(label, steps, events),
    events: (after, limit) =>
      read(async (q) => (await q.all(EVENTS_AFTER, [after, limit])).map((row) => toStoredEvent(link.name, row))),
    lastSeq: () => read(async (q) => (await q.get<{ seq: number }>(LAST_SEQ))?.seq ?? 0),
    onEvents: (listener) => link.onEvents(listener),
    copyTo: (path) => link.copyTo(path),
    purge: async (body) => {
      await runBody(await link.begin("purge", "purge"), { kind: "write", label: "purge", rehearse }, body);
      await emptied(link);
    },
    checkpoint: () => link.checkpoint(),
    close: (how) => link.close(how),
  };
}

/** The rows are gone; their text goes with the checkpoint that follows, now or, when that fails, with the next one or at the next start. */
async function emptied(link: Link): Promise<void> {
  try {
    await link.checkpoint();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const hint = "free disk space; the next checkpoint or start of the owner removes it";
    throw new AppError(
      "E_STORE",
      `${link.name}: deleted, but its files may still contain the text: ${why}`,
      { outcome: "unpurged", hint },
      cause,
    );
  }
}
