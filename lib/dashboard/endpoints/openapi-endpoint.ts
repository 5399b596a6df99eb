import * as z from "zod";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import { describeApi } from "../../http/openapi.js";
import type { DashboardParts } from "../core/parts.js";

/** The description of all endpoints, its own included. It is made once: the schemas do not change while a program runs. */
export function openapiEndpoint(endpoints: () => readonly Endpoint<DashboardParts>[]): Endpoint<DashboardParts> {
  let described: Readonly<Record<string, unknown>> | undefined;
  return defineEndpoint({
    method: "GET",
    path: "/api/openapi.json",
    summary: "Read this description.",
    tag: "status",
    answer: z.looseObject({
      openapi: z.string(),
      info: z.looseObject({}),
      paths: z.looseObject({}),
      components: z.looseObject({}),
    }),
    run: async (_request, { version }: DashboardParts) => {
      described ??= describeApi(endpoints(), {
        title: "agent dashboard",
        version,
        description:
          "HTTP API of an owner's dashboard. New keys may be added to responses; clients ignore unknown keys.",
      });
      return { json: described };
    },
  });
}
