import * as z from "zod";
import type { Ask, ServerDefinition } from "./definition.js";

const COMMAND = "typescript.tsserverRequest";
const KINDS = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"] as const;

const place = z.object({ line: z.number(), offset: z.number() });
const answer = z.looseObject({
  body: z.array(
    z.looseObject({ start: place, end: place, text: z.string(), code: z.number().optional(), category: z.string() }),
  ),
});

/** What the server behind typescript-language-server says about a file when it is asked. It says nothing while a clean file stays clean. */
export const TSSERVER_DIAGNOSTICS: NonNullable<ServerDefinition["pushesChanges"]> = {
  command: COMMAND,
  ask: async (ask, uri) => {
    const all: unknown[] = [];
    for (const kind of KINDS) all.push(...(await diagnosticsOf(ask, kind, uri)));
    return all;
  },
};

async function diagnosticsOf(ask: Ask, kind: (typeof KINDS)[number], uri: string): Promise<readonly unknown[]> {
  const parsed = answer.safeParse(
    await ask("workspace/executeCommand", { command: COMMAND, arguments: [kind, { file: uri }] }),
  );
  if (!parsed.success) return [];
  return parsed.data.body
    .filter((one) => one.category === "error")
    .map(({ start, end, text, code }) => ({
      range: { start: toPlace(start), end: toPlace(end) },
      severity: 1,
      source: "typescript",
      message: text,
      ...(code === undefined ? {} : { code }),
    }));
}

/** That server counts lines and offsets from 1. */
const toPlace = ({ line, offset }: z.infer<typeof place>) => ({
  line: Math.max(0, line - 1),
  character: Math.max(0, offset - 1),
});
