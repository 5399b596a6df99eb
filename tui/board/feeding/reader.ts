import type { WireEvent } from "../../../lib/contracts/wire/wire.js";
import { type SafeText, sanitizeLine } from "../../draw/sanitize.js";
import type { EffectContext } from "../../effects/effect.js";
import { text } from "../../model/data.js";
import { pageOf } from "./answer.js";

const REST_MS = 25; // changes that come faster are read together
const IDS = 500;
/** Reads the tasks that events name, one batch after the other, so that a flood of events is a few reads. */
export function createReader({ client, signal, send, run, options }: EffectContext) {
  let slug = "";
  let dirty = new Map<string, SafeText>();
  let touched = false;
  let reading = false;
  const flush = async () => {
    while ((dirty.size > 0 || touched) && !signal.aborted) {
      const by = new Map([...dirty].slice(0, IDS));
      for (const id of by.keys()) dirty.delete(id);
      touched = false;
      const { told, cards } = pageOf(
        await client.call("board.cards", { board: slug, ids: [...by.keys()] }, { signal, repeat: true }),
      );
      const here = new Set<string>(cards.map((card) => card.id));
      send({ type: "board.changed", ...told, cards, gone: [...by.keys()].filter((id) => !here.has(id)), by });
      await new Promise<void>((resolve) => options.after(REST_MS, resolve));
    }
  };
  return {
    begin: (named: string) => {
      slug = named;
      dirty = new Map();
    },
    changed: (events: readonly WireEvent[]): readonly string[] => {
      const ids: string[] = [];
      for (const event of events) {
        touched = true;
        const id = event.task_id ?? (event.event === "deleted" ? text(event.data, "task_id") : "");
        if (id === "") continue;
        dirty.set(id, whoIs(event.actor));
        ids.push(id);
      }
      if (!reading) {
        reading = true;
        run("failed to read the board", () =>
          flush().finally(() => {
            reading = false;
          }),
        );
      }
      return ids;
    },
  };
}

const ACTORS: Readonly<Record<string, string>> = {
  human: "user",
  worker: "its worker",
  system: "the dispatcher",
  agent: "an agent",
};

const whoIs = (actor: string | undefined): SafeText => sanitizeLine(ACTORS[actor ?? ""] ?? actor ?? "someone");
