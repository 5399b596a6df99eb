import type { EffectContext } from "../../effects/effect.js";
import type { BoardMessage } from "../messages.js";

const SEVERITY_REST_MS = 400;
const SEVERITY_IDS = 20; // more changes at once are looked at with the next whole look
const SEVERITY_EVERY_MS = 300_000; // some findings come by time alone

/** What needs attention: looked at as a whole now and then, and for each task that has changed. */
export function createSeverities({ client, signal, send, run, options }: EffectContext) {
  let slug = "";
  let due: (() => void) | undefined;
  let ids = new Set<string>();
  const look = async (some: readonly string[] | undefined) => {
    const params = { board: slug, ...(some === undefined ? {} : { ids: some }) };
    const answer = await client.call("board.severities", params, { signal, repeat: true });
    send({ type: "board.severities", slug, found: foundIn(answer, some), all: some === undefined });
  };
  let again: (() => void) | undefined;
  const whole = () => {
    again?.();
    if (signal.aborted) return;
    run("failed to read the board's findings", () => look(undefined));
    again = options.after(SEVERITY_EVERY_MS, whole);
  };
  const stop = () => {
    due?.();
    again?.();
  };
  signal.addEventListener("abort", stop, { once: true });
  return {
    begin: (named: string) => {
      slug = named;
      whole();
    },
    changed: (changed: readonly string[]) => {
      if (slug === "") return;
      for (const id of changed) ids.add(id);
      due ??= options.after(SEVERITY_REST_MS, () => {
        due = undefined;
        const some = [...ids].slice(0, SEVERITY_IDS);
        ids = new Set();
        run("failed to read the board's findings", () => look(some));
      });
    },
  };
}

type Severities = Extract<BoardMessage, { type: "board.severities" }>["found"];

/** Tasks that were asked for and are not in the answer have nothing any more. */
function foundIn(answer: unknown, asked: readonly string[] | undefined): Severities {
  const rows = Array.isArray(answer) ? answer.filter((row): row is unknown[] => Array.isArray(row)) : [];
  const found = rows.flatMap(([id, severity]): Severities[number][] =>
    typeof id === "string" && (severity === "warning" || severity === "error" || severity === "critical")
      ? [[id, severity]]
      : [],
  );
  const named = new Set(found.map(([id]) => id));
  return [...found, ...(asked ?? []).filter((id) => !named.has(id)).map((id) => [id, undefined] as const)];
}
