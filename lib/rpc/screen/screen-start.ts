import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { toAppError } from "../../base/errors.js";
import type { ScreenStart } from "../../contracts/ui/screen-start.js";
import { describeCage } from "../../safety/cage/describe.js";
import type { OwnerServices } from "../commands/owner-services.js";

const NEWEST = 10;
const OF_PEOPLE: ReadonlySet<string> = new Set(["cli", "workspace", "inline", "acp"]);

/** What a front end says before the first message. A local server is looked for here at the earliest: the screen stands already. */
export const screenStartMethods = (app: OwnerServices): Methods =>
  new Map([
    [
      "screen.start",
      defineMethod({
        params: z.object({ cwd: z.string(), session_id: z.string().optional() }),
        access: "read",
        run: async ({ cwd, session_id: shown }): Promise<ScreenStart> => {
          const [offer, serving, cage] = await Promise.all([
            offerOf(app, cwd, shown),
            servingOf(app),
            app.options.cages?.status(),
          ]);
          return { offer, serving, ...(cage === undefined ? {} : { cage: describeCage(cage) }) };
        },
      }),
    ],
  ]);

async function offerOf({ chat }: OwnerServices, cwd: string, shown: string | undefined): Promise<ScreenStart["offer"]> {
  const newest = await chat.list({ cwd, limit: NEWEST });
  const found = newest.find(
    ({ id, source, message_count: count }) => id !== shown && count > 0 && OF_PEOPLE.has(source),
  );
  if (found === undefined) return null;
  return {
    id: found.id,
    title: found.title ?? found.preview,
    messages: found.message_count,
    last_active_at: found.last_active_at,
  };
}

async function servingOf({ models, modelsApi, options }: OwnerServices): Promise<ScreenStart["serving"]> {
  const { primary } = await modelsApi.chain();
  if (primary.provider !== "auto" && primary.provider !== "offline")
    return { how: "configured", provider: primary.provider, model: primary.model };
  try {
    const { provider, model } = await (await models()).choose({});
    return { how: provider.id === "offline" ? "offline" : "found", provider: provider.id, model };
  } catch (error) {
    options.log.warning("failed to determine the current model", { error: toAppError(error).message });
    return { how: "offline", provider: "offline", model: "" };
  }
}
