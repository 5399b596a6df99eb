import * as z from "zod";
import { defineMethod, type Method, type Methods } from "../backplane/methods.js";
import { AppError } from "../base/errors.js";
import { KANBAN } from "../board/keys.js";
import { createWorkerMethods, WORKER_PARAMS, type WorkerMethod, type WorkerMethods } from "../board/worker-methods.js";
import { callBoardTool } from "../board/worker-tools.js";
import { createSessions } from "../chat/sessions.js";
import { firstChars } from "../chat/sessions-title.js";
import { type TranscriptMethod, transcriptMethods } from "../chat/transcript-methods.js";
import type { WireClaim } from "../proto/wire.js";
import type { App } from "./app.js";

/** Longest title of a session. */
const TITLE_LENGTH = 100;

const CHANGES: readonly TranscriptMethod[] = [
  "transcript.begin",
  "transcript.append",
  "transcript.draft",
  "transcript.event",
  "transcript.usage",
  "transcript.prompt",
  "transcript.set_record",
  "transcript.end",
];
const READS: readonly TranscriptMethod[] = ["transcript.messages", "transcript.record"];

/** What the board workers of this owner may call: their brief, heartbeats, board tools, and their conversation. */
export function workerMethodsOf(app: App): Methods {
  const { config, clock, ids } = app.options;
  const worker = createWorkerMethods({
    ...{ api: app.board, kernel: app.board, config, clock },
    openSession: async ({ profile, cwd, title }) => {
      const sessions = createSessions({ store: await app.stores.sessions(), clock, ids });
      return sessions.create({ source: "worker", profile, cwd, title: firstChars(title, TITLE_LENGTH), model: "", provider: "" });
    },
    isOrchestrator: async (profile) => profile === (config.get(KANBAN.orchestratorProfile) || "default"),
    tool: (caller, method, params) => callBoardTool(app.board, caller, method, params),
  });
  const methods = new Map<string, Method>();
  for (const name of ownNames()) methods.set(name, ownMethod(worker, name));
  for (const name of CHANGES) methods.set(name, transcriptMethod(app, worker, name, "write"));
  for (const name of READS) methods.set(name, transcriptMethod(app, worker, name, "read"));
  return methods;
}

const ownNames = (): WorkerMethod[] => Object.keys(WORKER_PARAMS) as WorkerMethod[]; // the keys of the table are its type's

function ownMethod(worker: WorkerMethods, name: WorkerMethod): Method {
  const run = worker.methods[name];
  return defineMethod({
    params: WORKER_PARAMS[name],
    access: "write",
    workers: true,
    run: (params, client) => run(params, claimOf(client.claim, name)),
  });
}

/** Parsed by the transcript itself, which knows its messages. */
const anything = z.record(z.string(), z.unknown());

function transcriptMethod(app: App, worker: WorkerMethods, name: TranscriptMethod, access: "read" | "write"): Method {
  return defineMethod({
    params: anything,
    access,
    workers: true,
    run: async (params, client) => {
      const claim = claimOf(client.claim, name);
      const allow = (session: Parameters<WorkerMethods["allow"]>[1]) => worker.allow(claim, session);
      const store = await app.stores.sessions();
      return (await transcriptMethods({ store, clock: app.options.clock, run: claim.run, allow })[name](params)) ?? null;
    },
  });
}

function claimOf(claim: WireClaim | undefined, name: string): WireClaim {
  if (!claim) throw new AppError("E_FORBIDDEN", `${name} is for board workers; a client needs a claim for it`);
  return claim;
}
