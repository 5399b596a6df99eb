import { join } from "node:path";
import { toAppError } from "../base/errors.js";
import { makeDirectory, writeAtomic } from "../base/fs/files.js";
import { listUnsortedNames } from "../base/fs/home-files.js";
import type { Home } from "../base/home.js";
import type { Log } from "../base/log/log.js";
import type { Clock } from "../base/time/clock.js";
import { toIso } from "../base/units.js";
import type { AskModel } from "../chat/turn/turn-types.js";
import type { ModelChoice, ModelFailure, ModelRequest } from "../contracts/models/model.js";

export interface DumpDeps {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: (text: string) => string;
}

/** Dumps of one session that are kept. */
const KEPT = 20;

/**
 * The same requests, each written to `sessions/request_dump_<session>_<n>.json` when `AGENT_DUMP_REQUESTS` is 1, and in any case when it has failed
 * for good. What is written is redacted, and a dump that cannot be written does not disturb the request.
 */
export function dumping(ask: AskModel, deps: DumpDeps): AskModel {
  return async function* (choice, request, signal, ...more) {
    for await (const event of ask(choice, request, signal, ...more)) {
      const failure = event.type === "failed" ? event.failure : undefined;
      const fatal = failure !== undefined && failure.class !== "aborted";
      const last = failure !== undefined || event.type === "done";
      // Before the last event is passed on: no further one is asked for.
      if (fatal || (last && deps.env["AGENT_DUMP_REQUESTS"] === "1")) await dump(deps, { choice, request }, failure);
      yield event;
    }
  };
}

interface Asked {
  readonly choice: ModelChoice;
  readonly request: ModelRequest;
}

async function dump(
  { home, clock, log, redact }: DumpDeps,
  { choice, request }: Asked,
  failure: ModelFailure | undefined,
): Promise<void> {
  const session = /^(\d{8}_\d{6}_[0-9a-f]{6}):/.exec(request.requestId)?.[1];
  if (session === undefined) return;
  const dir = join(home.dir, "sessions");
  const { model, provider } = choice;
  const content = {
    request_id: request.requestId,
    at: toIso(clock.now()),
    provider: provider.id,
    base_url: provider.baseUrl,
    model,
    request,
  };
  try {
    await makeDirectory(dir, 0o700);
    const text = redact(JSON.stringify({ ...content, ...(failure === undefined ? {} : { error: failure }) }, null, 2));
    await writeAtomic(join(dir, `request_dump_${session}_${nextNumber(dir, session)}.json`), text, 0o600);
  } catch (error) {
    log.warning("failed to dump a request", { error: toAppError(error).message });
  }
}

/** One more than the last; after the twentieth the first is written again. */
function nextNumber(dir: string, session: string): number {
  const start = `request_dump_${session}_`;
  const numbers = listUnsortedNames(dir).flatMap((name) =>
    name.startsWith(start) ? [Number.parseInt(name.slice(start.length), 10)] : [],
  );
  return (numbers.length % KEPT) + 1;
}
