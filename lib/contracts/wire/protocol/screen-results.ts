import * as z from "zod";
import { keptPictureShape } from "../shapes/conversations.js";
import {
  completionShape,
  displaySettingsShape,
  logPageShape,
  paletteItemsShape,
  runFactsShape,
  runListShape,
  screenStartShape,
  slashNextShape,
} from "../shapes/screens.js";
import { listedSession, message, searchHit, session, sessionStats } from "../shapes/sessions.js";
import { screenKeysShape } from "../shapes/settings.js";
import { contextReportShape, costReportShape, insightsReportShape } from "../shapes/usage.js";
import { sessionId } from "../shapes/values.js";
import type { Results } from "./define.js";

/** Answers that front ends show, and those of stored sessions. */
export const SCREEN_RESULTS: Results = {
  "command.list": z.array(
    z.object({
      path: z.string(),
      aliases: z.array(z.string()),
      summary: z.string(),
      topic: z.string(),
      access: z.enum(["read", "write", "admin"]),
      flags: z.array(
        z.object({
          name: z.string(),
          type: z.enum(["string", "number", "boolean"]),
          describe: z.string(),
          array: z.literal(true).exactOptional(),
          required: z.literal(true).exactOptional(),
          default: z.unknown().exactOptional(),
          choices: z.array(z.string()).exactOptional(),
          bare: z.literal(true).exactOptional(),
        }),
      ),
      positionals: z.array(z.string()),
      usage: z.string(),
    }),
  ),
  "command.run": z.object({
    text: z.string(),
    exit: z.number(),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        hint: z.string(),
        data: z.record(z.string(), z.unknown()).exactOptional(),
      })
      .exactOptional(),
    follow: z.array(z.string()).exactOptional(),
    next: slashNextShape.exactOptional(),
    streamed: z.boolean().exactOptional(),
    data: z.unknown().optional().describe("machine-readable answer, if requested"),
  }),
  complete: z.array(completionShape),
  context: contextReportShape,
  cost: z.union([insightsReportShape, costReportShape]),
  "display.get": displaySettingsShape,
  "draft.get": z.object({ text: z.string() }),
  "draft.set": z.object({ kept: z.boolean() }),
  "file.look": z.object({ path: z.string(), name: z.string(), bytes: z.number(), image: z.boolean() }).nullable(),
  "history.add": z.object({ kept: z.boolean() }),
  "history.list": z.object({ texts: z.array(z.string()), next: z.number().nullable() }),
  "image.attach": keptPictureShape,
  insights: insightsReportShape,
  keys: z.object({
    keys: z.array(
      z.object({
        changed: z.boolean(),
        id: z.string(),
        context: z.string(),
        keys: z.array(z.string()),
        label: z.string(),
        hint: z.string().exactOptional(),
      }),
    ),
    path: z.string(),
    problems: z.array(z.string()),
  }),
  "log.page": logPageShape,
  "palette.items": paletteItemsShape,
  "palette.models": z.array(z.object({ provider: z.string(), model: z.string() })),
  "palette.used": z.object({ recent: z.array(z.string()) }),
  "paste.keep": z.object({ path: z.string(), name: z.string(), bytes: z.number() }),
  "runs.info": runFactsShape,
  "runs.list": runListShape,
  "screen.keys": screenKeysShape,
  "screen.start": screenStartShape,
  "sessions.archive": session,
  "sessions.browse": z.array(listedSession),
  "sessions.check": z.object({ ok: z.boolean(), findings: z.array(z.string()) }),
  "sessions.delete": z.object({
    sessions: z.number(),
    messages: z.number(),
    backups: z.array(z.string()),
    deleted: sessionId,
    lineage_root: sessionId,
  }),
  "sessions.export": z.union([
    z.object({
      file: z.string(),
      format: z.enum(["md", "json", "jsonl"]),
      sessions: z.array(sessionId),
      bytes: z.number(),
    }),
    z.object({ format: z.enum(["md", "json", "jsonl"]), sessions: z.array(sessionId), text: z.string() }),
  ]),
  "sessions.fork": session,
  "sessions.list": z.array(listedSession),
  "sessions.prune": z.object({ deleted: z.number(), sessions: z.array(session) }),
  "sessions.rename": session,
  "sessions.search": z.array(searchHit),
  "sessions.show": z.object({ session: session, messages: z.array(message) }),
  "sessions.stats": sessionStats,
  "sessions.unarchive": session,
  "voice.speak": z.object({ path: z.string().nullable() }),
  "voice.transcribe": z.object({ text: z.string() }),
};
