import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { AppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { EditorDesk } from "../../chat/editor/editor-desk.js";
import { EDITOR_PART_CHARS, EDITOR_TEXT_CHARS } from "../../contracts/acp/editor-files.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { BringServers } from "../../contracts/mcp/brought.js";

const id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // proved by the look-up that follows
const request = z.string().min(1).max(100);
const channel = z.string().regex(/^[0-9a-f]{8,64}$/);
const texts = z.record(z.string().min(1).max(1_000), z.string().max(100_000));
/** An MCP server as the settings write it. */
const server = z.object({
  name: z.string().min(1).max(200),
  command: z.string().min(1).max(10_000).optional(),
  args: z.array(z.string().max(100_000)).max(1_000).optional(),
  env: texts.optional(),
  cwd: z.string().min(1).max(10_000).optional(),
  url: z.string().min(1).max(10_000).optional(),
  headers: texts.optional(),
  transport: z.enum(["http", "sse"]).optional(),
});
const path = z.string().min(1).max(10_000);

/** Methods of the front end of an editor, whose files the file tools read and write (core part, 15.3). Texts travel in parts. */
export function editorMethods(chat: ChatApi, editors: EditorDesk, servers: BringServers): Methods {
  const lineageOf = async (session_id: SessionId) => {
    const session = await chat.get(session_id);
    if (session !== undefined) return session.lineage_root;
    throw new AppError("E_NOT_FOUND", `no such session: ${session_id}`, { session: session_id });
  };
  return new Map([
    [
      "editor.attach",
      defineMethod({
        params: z.object({
          session_id: id,
          channel,
          read: z.boolean(),
          write: z.boolean(),
          roots: z.array(path).min(1).max(100),
        }),
        access: "write",
        repeat: () => "safe", // attaching twice is attaching
        run: async ({ session_id, ...offer }, client) => {
          const lineage = await lineageOf(session_id);
          editors.attach({ ...offer, session: session_id, lineage }, client);
          return { ok: true };
        },
      }),
    ],
    [
      "editor.detach",
      defineMethod({
        params: z.object({ session_id: id }),
        access: "write",
        repeat: () => "safe",
        run: async ({ session_id }, client) => ({ detached: editors.detach(await lineageOf(session_id), client) }),
      }),
    ],
    [
      "editor.servers",
      defineMethod({
        params: z.object({ session_id: id, servers: z.array(server).max(32) }),
        access: "write",
        repeat: () => "safe", // starting the same ones again is starting them
        run: async ({ session_id, servers: given }, client) => {
          const entries = new Map(given.map(({ name, ...entry }) => [name, entry]));
          return { servers: await servers.start(await lineageOf(session_id), entries, client.signal) };
        },
      }),
    ],
    [
      "editor.server_status",
      defineMethod({
        params: z.object({ session_id: id }),
        access: "read",
        run: async ({ session_id }, client) => ({
          servers: await servers.status(await lineageOf(session_id), client.signal),
        }),
      }),
    ],
    [
      "editor.take",
      defineMethod({
        params: z.object({ channel }),
        access: "write",
        repeat: () => "safe", // what a lost answer named is withdrawn with its connection
        run: async (given, client) => editors.take(given.channel, client),
      }),
    ],
    [
      "editor.text",
      defineMethod({
        params: z.object({ request, from: z.int().min(0).max(EDITOR_TEXT_CHARS) }),
        access: "read",
        people: true,
        run: async ({ from, ...named }, client) => editors.textOf(named.request, from, client),
      }),
    ],
    [
      "editor.respond",
      defineMethod({
        params: z.object({
          request,
          text: z.string().max(EDITOR_PART_CHARS).optional(),
          more: z.boolean().optional(),
          error: z.object({ kind: z.enum(["missing", "refused"]), message: z.string().max(2_000) }).optional(),
        }),
        access: "write",
        repeat: () => "safe", // a connection that was lost has ended the request
        run: async ({ request: named, ...given }, client) => ({ waiting: editors.answer(named, given, client) }),
      }),
    ],
  ]);
}
