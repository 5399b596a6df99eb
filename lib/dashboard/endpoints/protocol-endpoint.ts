import * as z from "zod";
import type { ProtocolDocument } from "../../contracts/owner/protocol-document.js";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import type { DashboardParts } from "../core/parts.js";

const schema = z.looseObject({}).describe("JSON Schema");

/** The methods and events of `/api/ws`. */
export const PROTOCOL_ENDPOINT: Endpoint<DashboardParts> = defineEndpoint({
  method: "GET",
  path: "/api/protocol.json",
  summary: "Read the methods and events of the WebSocket /api/ws with their JSON Schemas. See agent help protocol.",
  tag: "status",
  answer: z.object({
    protocol: z.int(),
    version: z.string(),
    methods: z.array(
      z.object({
        name: z.string(),
        access: z.enum(["read", "write", "admin"]),
        summary: z.string().exactOptional(),
        params: schema,
        result: schema,
      }),
    ),
    schemas: z.record(z.string(), schema),
    event: schema,
    events: z.array(z.object({ name: z.string(), durable: z.boolean(), summary: z.string(), data: schema })),
    limits: z.record(z.string(), z.number()),
    close_codes: z.record(z.string(), z.string()),
  }) satisfies z.ZodType<ProtocolDocument>,
  run: async (_request, { owner }: DashboardParts) => ({ json: await owner.protocol() }),
});
