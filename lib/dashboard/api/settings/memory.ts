import * as z from "zod";
import {
  memoryEntryShape,
  memoryOutcomeShape,
  memoryScope,
  memoryStatusShape,
  memoryTarget,
  pendingMemoryShape,
} from "../../../contracts/wire/shapes/memory.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "memory";
const params = z.object({ id: z.string().min(1).max(64).describe("id of the entry or the change") });

/** What is remembered in this home. */
export const MEMORY_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/memory",
    summary: "List what is remembered.",
    tag,
    query: z.object({
      target: memoryTarget.optional().describe("memory or user"),
      scope: memoryScope.optional().describe("entries of this scope only"),
    }),
    answer: z.object({ entries: z.array(memoryEntryShape) }),
    run: async ({ query, signal }, { command }: DashboardParts) => ({
      json: await command("memory list", query, signal),
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/memory/status",
    summary: "Show the files of the memory with their sizes, and what waits.",
    tag,
    answer: memoryStatusShape,
    run: async ({ signal }, { command }: DashboardParts) => ({ json: await command("memory status", {}, signal) }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/memory/pending",
    summary: "List changes of the memory that wait for a person.",
    tag,
    answer: z.object({ pending: z.array(pendingMemoryShape) }),
    run: async ({ signal }, { command }: DashboardParts) => ({ json: await command("memory pending", {}, signal) }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/memory/pending/:id/approve",
    summary: "Let a change happen that waits.",
    tag,
    params,
    answer: memoryOutcomeShape,
    run: async ({ params, signal }, { command }: DashboardParts) => ({
      json: await command("memory approve", params, signal),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/memory/pending/:id/reject",
    summary: "Drop a change that waits.",
    tag,
    params,
    answer: z.object({ rejected: pendingMemoryShape }),
    run: async ({ params, signal }, { command }: DashboardParts) => ({
      json: await command("memory reject", params, signal),
    }),
  }),
  ...(["off", "on"] as const).map((state) =>
    defineEndpoint({
      method: "POST",
      path: `/memory/${state}`,
      summary: state === "on" ? "Switch the memory on." : "Switch the memory off; its files stay.",
      tag,
      answer: z.object({ enabled: z.boolean(), approval: z.string().nullable().optional() }),
      run: async ({ signal }, { command }: DashboardParts) => ({
        json: await command(state === "on" ? "memory setup" : "memory off", {}, signal),
      }),
    }),
  ),
  defineEndpoint({
    method: "PATCH",
    path: "/memory/:id",
    summary: "Replace the text of an entry.",
    tag,
    params,
    body: z.object({ text: z.string().min(1).describe("new text") }),
    answer: memoryOutcomeShape,
    run: async ({ params, body, signal }, { command }: DashboardParts) => ({
      json: await command("memory edit", { id: params.id, text: [body.text] }, signal),
    }),
  }),
  defineEndpoint({
    method: "DELETE",
    path: "/memory/:id",
    summary: "Remove an entry.",
    tag,
    params,
    answer: memoryOutcomeShape,
    run: async ({ params, signal }, { command }: DashboardParts) => ({
      json: await command("memory forget", params, signal),
    }),
  }),
];
