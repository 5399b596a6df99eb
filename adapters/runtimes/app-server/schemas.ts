import { join } from "node:path";
import * as z from "zod";
import { systemCode, toAppError } from "../../../lib/base/errors.js";
import { readAtMost } from "../../../lib/base/fs/files.js";
import { makeTemporaryDirectory } from "../../../lib/base/fs/tree.js";
import { jsonOf } from "../../../lib/base/json/record.js";
import { runProgram } from "../../../lib/base/process/run-program.js";
import type { Spawner } from "../../../lib/base/process/spawn.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import type { SchemaComparison } from "../../../lib/contracts/runtimes/switch.js";
import { toScreenLine } from "../../../lib/safety/redact/text.js";
import { COMMAND_KINDS } from "./requests/command.js";
import { DECISIONS } from "./requests/decision.js";
import { REQUEST_HANDLERS } from "./requests/requests.js";

export interface SchemaParts {
  readonly spawner: Spawner;
  readonly clock: Pick<Clock, "after">;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes secrets out of what the program printed. */
  readonly redact: (text: string) => string;
}

/** Source: 0.169 writes its schemas in 0.1 s; a loaded machine is slower. */
const WRITE_MS: Ms = 20_000;
/** The largest of 0.169 has 300 kB. */
const SCHEMA_BYTES = 16 << 20;

/** Requests that are known and answered as unsupported (extensions part, 8.5). */
const REFUSED: ReadonlySet<string> = new Set([
  "item/tool/call",
  "applyPatchApproval",
  "execCommandApproval",
  "account/chatgptAuthTokens/refresh",
  "attestation/generate",
  "currentTime/read",
]);

/** Requests that are sent, with the params that they have. The program may be without the optional ones. */
const SENT: readonly { readonly method: string; readonly params: readonly string[]; readonly optional?: true }[] = [
  { method: "initialize", params: ["clientInfo", "capabilities"] },
  { method: "thread/start", params: ["cwd", "model"] },
  { method: "thread/resume", params: ["threadId", "excludeTurns"], optional: true },
  { method: "thread/revert", params: ["threadId", "beforeTurnId"], optional: true },
  { method: "turn/start", params: ["threadId", "input", "model"] },
  { method: "turn/steer", params: ["threadId", "expectedTurnId", "input"], optional: true },
  { method: "thread/backgroundTerminals/terminate", params: ["threadId", "processId"], optional: true },
  { method: "turn/interrupt", params: ["threadId", "turnId"] },
  { method: "plugin/list", params: [], optional: true },
];

/** Notifications without which no turn can be followed. */
const NEEDED: readonly string[] = ["turn/completed", "item/started", "item/completed"];

/**
 * Let the program write the schemas of its protocol, and compare them with what is handled here (`agent doctor`, `/vendor-runtime on`). Its own
 * home is not touched. Never throws for what the program does.
 */
export async function compareSchemas(
  program: string,
  parts: SchemaParts,
  signal: AbortSignal,
): Promise<SchemaComparison> {
  const place = await makeTemporaryDirectory("app-server-schemas");
  try {
    // Versions before the option know fewer things, all of them without it.
    const first = await writeSchemas(program, { ...parts, dir: place.path, more: ["--experimental"] }, signal);
    const problem =
      first === undefined ? undefined : await writeSchemas(program, { ...parts, dir: place.path, more: [] }, signal);
    if (problem !== undefined) return { unknown: [], problem };
    return await readDifferences(place.path);
  } finally {
    await place.remove();
  }
}

interface Writing extends SchemaParts {
  readonly dir: string;
  readonly more: readonly string[];
}

const PASSED = /^(PATH|LANG|LC_\w+|TERM)$/;

/** @returns why it did not write them */
async function writeSchemas(program: string, parts: Writing, signal: AbortSignal): Promise<string | undefined> {
  const { dir, more, redact } = parts;
  const given = Object.entries(parts.env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && PASSED.test(pair[0]),
  );
  const env = { ...Object.fromEntries(given), HOME: dir, CODEX_HOME: dir, TMPDIR: dir };
  const args = ["app-server", "generate-json-schema", ...more, "--out", join(dir, "schemas")];
  try {
    const { code, stderr, timedOut } = await runProgram(
      parts,
      { file: program, args, cwd: dir, env, ms: WRITE_MS },
      signal,
    );
    if (timedOut) return `${program} did not write the schemas of its protocol within ${WRITE_MS / 1_000} s`;
    const said = toScreenLine(redact(stderr), 200);
    return code === 0 ? undefined : `${program} did not write the schemas of its protocol: ${said || `exit ${code}`}`;
  } catch (error) {
    signal.throwIfAborted();
    return `${program} cannot be started (${systemCode(error) ?? toAppError(error).message})`;
  }
}

const REF = z.looseObject({ $ref: z.string() });
const MESSAGE = z.looseObject({
  properties: z.looseObject({
    method: z.looseObject({ enum: z.array(z.string()) }),
    params: z.unknown().optional(),
  }),
});
const SHAPE = z.looseObject({ required: z.array(z.string()).default([]) });
const SCHEMA = z.looseObject({
  oneOf: z.array(MESSAGE).default([]),
  definitions: z.record(z.string(), z.unknown()).default({}),
});
const CHOICES = z.looseObject({
  enum: z.array(z.string()).default([]),
  oneOf: z.array(z.looseObject({ enum: z.array(z.string()).default([]) })).default([]),
});

type Schema = z.infer<typeof SCHEMA>;

async function readDifferences(dir: string): Promise<SchemaComparison> {
  const names = ["ServerRequest", "ClientRequest", "ServerNotification"] as const;
  const [asks, takes, tells] = await Promise.all(names.map((name) => readSchema(join(dir, "schemas", `${name}.json`))));
  if (asks === undefined || takes === undefined || tells === undefined)
    return { unknown: [], problem: "the schemas of the app-server's protocol cannot be read" };
  const replies = await readSchema(join(dir, "schemas", "CommandExecutionRequestApprovalResponse.json"));
  return {
    unknown: [
      ...askedDifferences(asks),
      ...(replies === undefined ? [] : decisionDifferences(replies)),
      ...sentDifferences(takes),
      ...NEEDED.filter((method) => !methodsOf(tells).has(method)).map((method) => `no longer sends ${method}`),
    ],
  };
}

async function readSchema(path: string): Promise<Schema | undefined> {
  const bytes = await readAtMost(path, SCHEMA_BYTES);
  const parsed = SCHEMA.safeParse(bytes === undefined ? undefined : jsonOf(bytes.toString("utf8")));
  return parsed.success ? parsed.data : undefined;
}

const methodsOf = (schema: Schema): ReadonlyMap<string, readonly string[]> =>
  new Map(
    schema.oneOf.flatMap(({ properties: { method, params } }) =>
      method.enum.map((name) => [name, requiredOf(schema, params)] as const),
    ),
  );

/** Names of the params that must be there. */
function requiredOf({ definitions }: Schema, params: unknown): readonly string[] {
  const ref = REF.safeParse(params);
  const shape = SHAPE.safeParse(ref.success ? definitions[ref.data.$ref.split("/").at(-1) ?? ""] : params);
  return shape.success ? shape.data.required : [];
}

/** Every text that a choice may be; none: the schema has no such choice. */
function choicesOf({ definitions }: Schema, name: string): readonly string[] {
  const choices = CHOICES.safeParse(definitions[name]);
  return choices.success ? [...choices.data.enum, ...choices.data.oneOf.flatMap((one) => one.enum)] : [];
}

/** What it asks of its client. */
function askedDifferences(schema: Schema): readonly string[] {
  const found: string[] = [];
  for (const [method, required] of methodsOf(schema)) {
    const handler = REQUEST_HANDLERS.get(method);
    if (handler === undefined) {
      if (!REFUSED.has(method)) found.push(`asks ${method}, which is answered as unsupported`);
      continue;
    }
    for (const name of required.filter((one) => !handler.params.includes(one)))
      found.push(`${method} has the unknown required parameter ${name}`);
  }
  for (const kind of choicesOf(schema, "CommandExecutionApprovalKind").filter((one) => !COMMAND_KINDS.includes(one)))
    found.push(`asks for approvals of the unknown kind ${kind}, which are declined`);
  return found;
}

/** Answers to approvals that it no longer takes. */
function decisionDifferences(schema: Schema): readonly string[] {
  const taken = choicesOf(schema, "CommandExecutionApprovalDecision");
  const given = new Set(Object.values(DECISIONS));
  return [...given]
    .filter((one) => !taken.includes(one))
    .map((one) => `no longer takes the answer ${one} to approvals`);
}

/** What it wants in the requests that are sent to it. */
function sentDifferences(schema: Schema): readonly string[] {
  const methods = methodsOf(schema);
  return SENT.flatMap(({ method, params, optional }) => {
    const required = methods.get(method);
    if (required === undefined) return optional === true ? [] : [`no longer takes ${method}`];
    return required
      .filter((name) => !params.includes(name))
      .map((name) => `${method} needs the unknown parameter ${name}`);
  });
}
