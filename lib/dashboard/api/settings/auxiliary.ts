import * as z from "zod";
import { isRecord } from "../../../base/json/record.js";
import type { AuxSlotName } from "../../../contracts/models/auxiliary.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import { AUX_SLOTS } from "../../../models/auxiliary.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "models";
const NAMES = Object.keys(AUX_SLOTS) as AuxSlotName[]; // the table has a row for each, and no other
const text = z.string().max(2_000).nullish().describe("null: reset");

const answer = z.object({
  slots: z.array(
    z.object({
      slot: z.enum(NAMES),
      provider: z.string().describe("auto: the model of new sessions"),
      model: z.string().nullable(),
      base_url: z.string().nullable(),
      timeout: z.number().describe("timeout in seconds"),
    }),
  ),
});

/** Models of side work: titles, summaries, specifying, judging. */
export const AUXILIARY_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/model/auxiliary",
    summary: "List the models of auxiliary work.",
    tag,
    answer,
    run: async (_request, parts: DashboardParts) => ({ json: shown(parts) }),
  }),
  defineEndpoint({
    method: "PUT",
    path: "/model/auxiliary",
    summary: "Set or reset the model of a kind of auxiliary work.",
    tag,
    body: z.object({ slot: z.enum(NAMES), provider: text, model: text, base_url: text }),
    answer,
    run: async ({ body: { slot, ...given } }, parts: DashboardParts) => {
      const wanted = Object.entries(given).filter(([, value]) => value !== undefined);
      await parts.settings.change(
        Object.fromEntries(wanted.map(([name, value]) => [`auxiliary.${slot}.${name}`, value === "" ? null : value])),
      );
      return { json: shown(parts) };
    },
  }),
];

function shown({ settings }: DashboardParts): z.output<typeof answer> {
  const all = settings.get("auxiliary")?.value;
  const slots = NAMES.map((slot) => {
    const own = isRecord(all) && isRecord(all[slot]) ? all[slot] : {};
    const word = (name: string): string | null =>
      typeof own[name] === "string" && own[name] !== "" ? own[name] : null;
    const timeout = typeof own["timeout"] === "number" ? own["timeout"] : AUX_SLOTS[slot];
    return { slot, provider: word("provider") ?? "auto", model: word("model"), base_url: word("base_url"), timeout };
  });
  return { slots };
}
