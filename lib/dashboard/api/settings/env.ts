import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "settings";
const name = z.string().min(1).max(128).describe("variable");
const variables = z.object({
  path: z.string(),
  variables: z.array(z.object({ name: z.string(), value: z.literal("[secret]") })),
});

/** Variables of this home's `.env`. Values come out by `reveal` alone. */
export const ENV_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/env",
    summary: "List the variables of .env, values masked.",
    tag,
    answer: variables,
    run: async (_request, parts: DashboardParts) => ({ json: shown(parts) }),
  }),
  defineEndpoint({
    method: "PUT",
    path: "/env",
    summary: "Set a variable.",
    tag,
    body: z.object({ name, value: z.string().max(65_536) }),
    answer: variables,
    run: async ({ body }, parts: DashboardParts) => {
      await parts.settings.setVariable(body.name, body.value);
      return { json: shown(parts) };
    },
  }),
  defineEndpoint({
    method: "DELETE",
    path: "/env",
    summary: "Remove a variable.",
    tag,
    query: z.object({ name }),
    answer: variables,
    errors: [404],
    run: async ({ query }, parts: DashboardParts) => {
      if (parts.settings.reveal(query.name) === undefined) throw noVariable(query.name);
      await parts.settings.setVariable(query.name, undefined);
      return { json: shown(parts) };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/env/reveal",
    summary: "Read the value of a variable; at most five times in 30 seconds.",
    tag,
    body: z.object({ name }),
    answer: z.object({ name: z.string(), value: z.string() }),
    errors: [404, 429],
    run: async ({ body }, { settings, memory, log }: DashboardParts) => {
      memory.reveals.take();
      const value = settings.reveal(body.name);
      if (value === undefined) throw noVariable(body.name);
      log.info("a variable was revealed", { name: body.name });
      return { json: { name: body.name, value } };
    },
  }),
];

const shown = ({ settings }: DashboardParts): z.output<typeof variables> => ({
  path: settings.envPath,
  variables: settings.variables().map((one) => ({ name: one, value: "[secret]" })),
});

const noVariable = (given: string): AppError =>
  new AppError("E_NOT_FOUND", `no such variable in .env: ${JSON.stringify(given)}`);
