import * as z from "zod";
import { type ClientContext, defineMethod, type Method, type Methods } from "../../backplane/methods.js";
import { once } from "../../base/async/lazy.js";
import { AppError } from "../../base/errors.js";
import type { RunId } from "../../base/units.js";
import {
  type CallerClaim,
  createWorkerMethods,
  repeatOf,
  WORKER_PARAMS,
  type WorkerHost,
  type WorkerMethod,
  type WorkerMethods,
} from "../../board/worker-api/worker-methods.js";
import { createSessions } from "../../chat/sessions/sessions.js";
import { firstChars } from "../../chat/transcript/sessions-title.js";
import { type TranscriptMethod, transcriptMethods } from "../../chat/transcript/transcript-methods.js";
import type { OwnerServices } from "../commands/owner-services.js";
import { workerBrowserMethods } from "./worker-browser-methods.js";
import { workerCheckpointMethods } from "./worker-checkpoint-methods.js";
import { createWorkerText } from "./worker-text.js";
import { workerToolMethods } from "./worker-tool-methods.js";

const TRANSCRIPT: readonly TranscriptMethod[] = [
  "transcript.messages",
  "transcript.begin",
  "transcript.append",
  "transcript.draft",
  "transcript.event",
  "transcript.usage",
  "transcript.prompt",
  "transcript.record",
  "transcript.set_record",
  "transcript.next_segment",
  "transcript.previous_segment",
  "transcript.side_usage",
  "transcript.end",
];

const READS: ReadonlySet<TranscriptMethod> = new Set(["transcript.messages", "transcript.record"]);

/** What board workers call: their brief, heartbeat and tools, and the transcript of their conversation. Every call carries the claim. */
export function workerMethodsOf(app: OwnerServices): Methods {
  // The board is loaded for the first of them: most owners that live as long as a command do without.
  const workers = once(async () => createWorkerMethods(await hostOf(app)));
  const allow: WorkerMethods["allow"] = async (claim, session) => (await workers()).allow(claim, session);
  const methods = new Map<string, Method>();
  const text = createWorkerText(app.bus, app.options.clock);
  for (const name of Object.keys(WORKER_PARAMS) as WorkerMethod[]) {
    // the keys of the table are the methods
    methods.set(
      name,
      defineMethod({
        params: WORKER_PARAMS[name] as z.ZodType,
        access: "write",
        workers: true,
        repeat: (params) => repeatOf(name, params),
        recover: async (params, client) => (await workers()).recover(params, claimOf(client)),
        run: async (params, client, call) => (await workers()).methods[name](params, claimOf(client), call),
      }),
    );
  }
  for (const [name, method] of workerCheckpointMethods(app, allow)) methods.set(name, method);
  for (const [name, method] of workerToolMethods(app, allow)) methods.set(name, method);
  for (const [name, method] of workerBrowserMethods(app, allow)) methods.set(name, method);
  for (const name of TRANSCRIPT) {
    methods.set(
      name,
      defineMethod({
        params: z.record(z.string(), z.unknown()),
        access: READS.has(name) ? "read" : "write",
        workers: true,
        repeat: () => "safe", // what it changes is looked for by its place in the conversation
        run: async (params, client, { again }) => {
          const claim = claimOf(client);
          const store = await app.sessions();
          const run = claim.run as RunId; // compared with the open run by `allow`
          const own = transcriptMethods({
            store,
            clock: app.options.clock,
            run,
            allow: (session) => allow(claim, session),
          });
          const answer = await own[name](params, again);
          text.done(name, params);
          return answer ?? null;
        },
      }),
    );
  }
  return methods;
}

function claimOf(client: ClientContext): CallerClaim {
  if (!client.claim) throw new AppError("E_NOT_OWNER", "this method requires a board worker");
  return client.claim;
}

async function hostOf(app: OwnerServices): Promise<WorkerHost> {
  const { options } = app;
  const { board } = await app.boards();
  const { config, clock, ids } = options;
  return {
    api: board,
    kernel: board,
    config,
    clock,
    sessionId: () => ids.session(clock.now()),
    openSession: async ({ id, profile, cwd, title }) => {
      const sessions = createSessions({ store: await app.sessions(), clock, ids });
      const input = { source: "worker", cwd, profile, model: "", provider: "", title: firstChars(title, 100) };
      return (await sessions.get(id)) ?? sessions.create({ ...input, id });
    },
  };
}
