import { join } from "node:path";
import * as z from "zod";
import { type ClientContext, defineMethod, type Methods } from "../../backplane/methods.js";
import { withLinkedSignal } from "../../base/async/abort-any.js";
import { AppError } from "../../base/errors.js";
import { layOutHome } from "../../base/home.js";
import type { Ms, SessionId } from "../../base/units.js";
import type { CallerClaim } from "../../board/worker-api/worker-methods.js";
import { createSessions } from "../../chat/sessions/sessions.js";
import type { BrowserAnswer, BrowserCommand, BrowserPlace, BrowserStatus } from "../../contracts/browser/browser.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { OwnerServices } from "../commands/owner-services.js";

const id = z.string().min(1).max(200);
const session = id.transform((text) => text as SessionId); // proved by the claim
/** Name of a folder: the lineage of the run's conversation, or of a child of it. */
const lineage = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/);
/** The worker has checked its arguments by the schema of their tool; the browser looks at each again as it uses it. */
const command = z
  .object({ do: z.string().max(40) })
  .loose()
  .transform((given) => given as unknown as BrowserCommand); // unknown commands are answered as such

/** A worker whose connection was lost comes back within this time, or its contexts go. */
const AWAY_MS: Ms = 30_000;

/**
 * The browser for board workers: it lives in the owner, one for all. Every call carries the claim of its worker. A context belongs to the run, not to the
 * conversation, and goes with it.
 */
export function workerBrowserMethods(
  app: OwnerServices,
  allow: (claim: CallerClaim, session: SessionRecord) => Promise<void>,
): Methods {
  const { clock, ids, home } = app.options;
  const runs = new Map<string, Run>();
  const calls = new Map<string, AbortController>();
  const allowed = async (client: ClientContext, of: SessionId): Promise<{ run: string; found: SessionRecord }> => {
    if (!client.claim) throw new AppError("E_NOT_OWNER", "this method requires a board worker");
    const found = await createSessions({ store: await app.sessions(), clock, ids }).get(of);
    if (!found) throw new AppError("E_NOT_FOUND", `no such session: ${of}`, { session: of });
    await allow(client.claim, found);
    return { run: `${client.claim.board}/${client.claim.run}`, found };
  };
  const placeFor = (run: string, { id: of, profile }: SessionRecord, lane: string): BrowserPlace => {
    const own = profile === "default" ? home.root : join(home.root, "profiles", profile);
    const dir = join(layOutHome(own, home.root, profile).cache, "results", lane, "browser");
    return { lineage: `run ${run} ${lane}`, session: of, dir };
  };
  const end = async (run: string): Promise<void> => {
    const lineages = [...(runs.get(run)?.lineages ?? [])];
    runs.get(run)?.cancel();
    runs.delete(run);
    await Promise.all(lineages.map((one) => app.browser.release(one)));
  };
  const noteUse = (run: string, client: ClientContext, of: string): void => {
    const known = runs.get(run) ?? { lineages: new Set<string>(), clients: new Set<number>(), cancel: () => undefined };
    runs.set(run, known);
    known.lineages.add(of);
    known.cancel();
    if (known.clients.has(client.id)) return;
    known.clients.add(client.id);
    const leave = () => {
      known.clients.delete(client.id);
      known.cancel = clock.after(AWAY_MS, () => {
        end(run).catch(() => undefined); // its contexts end with the browser
      });
    };
    client.signal.addEventListener("abort", leave, { once: true });
  };
  return new Map([
    [
      "worker.browser",
      defineMethod({
        params: z.object({ session, lineage, call: id, command }),
        access: "write",
        workers: true,
        repeat: () => "noted", // it acts on the outside
        run: async ({ session: of, lineage: lane, call, command: given }, client): Promise<BrowserAnswer> => {
          const { run, found } = await allowed(client, of);
          const place = placeFor(run, found, lane);
          noteUse(run, client, place.lineage);
          const control = new AbortController();
          const key = `${run} ${call}`;
          calls.set(key, control);
          try {
            return await withLinkedSignal([client.signal, control.signal], (signal) =>
              app.browser.run(place, given, signal),
            );
          } finally {
            calls.delete(key);
          }
        },
      }),
    ],
    [
      "worker.browser_cancel",
      defineMethod({
        params: z.object({ session, call: id }),
        access: "write",
        workers: true,
        repeat: () => "safe",
        run: async ({ session: of, call }, client) => {
          const { run } = await allowed(client, of);
          calls.get(`${run} ${call}`)?.abort(new Error("interrupted"));
          return null;
        },
      }),
    ],
    [
      "worker.browser_status",
      defineMethod({
        params: z.object({ session }),
        access: "read",
        workers: true,
        run: async ({ session: of }, client): Promise<BrowserStatus> => {
          await allowed(client, of);
          return await app.browser.status();
        },
      }),
    ],
    [
      "worker.browser_end",
      defineMethod({
        params: z.object({ session }),
        access: "write",
        workers: true,
        repeat: () => "safe", // what has ended stays so
        run: async ({ session: of }, client) => {
          const { run } = await allowed(client, of);
          await end(run);
          return null;
        },
      }),
    ],
  ]);
}

/** The contexts of one run. */
interface Run {
  readonly lineages: Set<string>;
  /** Connections that used them. */
  readonly clients: Set<number>;
  /** Its worker is back. */
  cancel: () => void;
}
