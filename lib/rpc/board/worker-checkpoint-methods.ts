import * as z from "zod";
import { type ClientContext, defineMethod, type Methods } from "../../backplane/methods.js";
import { AppError } from "../../base/errors.js";
import type { SessionId, TurnId } from "../../base/units.js";
import type { CallerClaim } from "../../board/worker-api/worker-methods.js";
import { createSessions } from "../../chat/sessions/sessions.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { OwnerServices } from "../commands/owner-services.js";

const id = z.string().min(1);
const session = id.transform((text) => text as SessionId); // proved by the claim
const turn = id.transform((text) => text as TurnId); // names a turn of that session

const taking = z.object({
  session,
  turn,
  round: z.int().min(0),
  directory: id,
  named: z.array(id).max(10_000),
  kind: z.enum(["before", "after"]),
  reason: z.string().max(1_000),
});
const releasing = z.object({ session, turn, directory: id });

/** Keeping states for the turns of workers. Only for the conversation of the caller's own run. */
export function workerCheckpointMethods(
  app: OwnerServices,
  allow: (claim: CallerClaim, session: SessionRecord) => Promise<void>,
): Methods {
  const { clock, ids } = app.options;
  const allowed = async (client: ClientContext, of: SessionId): Promise<SessionRecord> => {
    if (!client.claim) throw new AppError("E_NOT_OWNER", "this method requires a board worker");
    const found = await createSessions({ store: await app.sessions(), clock, ids }).get(of);
    if (!found) throw new AppError("E_NOT_FOUND", `no such session: ${of}`, { session: of });
    await allow(client.claim, found);
    return found;
  };
  return new Map([
    [
      "checkpoint.take",
      defineMethod({
        params: taking,
        access: "write",
        workers: true,
        repeat: () => "safe", // a state that is kept already is found again
        run: async ({ session: of, turn: own, round, ...input }, client) => {
          const { id: found, lineage_root: lineage } = await allowed(client, of);
          const origin = { lineage, session: found, turn: own, round, elsewhere: true } as const;
          return (await app.keeper()).take({ ...input, origin });
        },
      }),
    ],
    [
      "checkpoint.release",
      defineMethod({
        params: releasing,
        access: "write",
        workers: true,
        repeat: () => "safe", // given back twice is given back
        run: async ({ session: of, turn: own, directory }, client) => {
          await allowed(client, of);
          await (await app.keeper()).release(directory, own);
          return null;
        },
      }),
    ],
  ]);
}
