import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { createTwoFilesPatch } from "diff";
import type { Log } from "../../../lib/base/log/log.js";
import { CALLBACK_SERVER } from "../../../lib/contracts/runtimes/callback-wire.js";
import type { RuntimeAnswer, RuntimeHost, RuntimePermission } from "../../../lib/contracts/runtimes/runtime.js";
import {
  type CallFields,
  changesOf,
  commandOf,
  cut,
  directoryOf,
  type FileChange,
  mcpOf,
  natureOf,
  toolOf,
} from "./tool-call.js";
import type { Transcript } from "./transcript.js";

const DIFF_CHARS = 100_000;
/** Beyond this a line-by-line comparison takes too long to be worth it. */
const COMPARED_CHARS = 2_000_000;

type Options = RequestPermissionRequest["options"];

export interface PermissionParts {
  readonly host: Pick<RuntimeHost, "permit">;
  readonly transcript: Pick<Transcript, "asked" | "declined">;
  readonly cwd: string;
  readonly log: Log;
}

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

/** Answer a permission request of a program. */
export async function answerPermission(
  request: RequestPermissionRequest,
  parts: PermissionParts,
  signal: AbortSignal,
): Promise<RequestPermissionResponse> {
  const { call, callId } = parts.transcript.asked({ ...request.toolCall });
  const ours = mcpOf(call)?.server === CALLBACK_SERVER && natureOf(call) === "tool";
  const options = request.options;
  const asked = { callId, options, cwd: parts.cwd };
  const answer = ours ? "once" : await askHost(toPermission(call, asked), parts, signal);
  const any = ours ? options.find(({ kind }) => kind === "allow_always")?.optionId : undefined;
  const chosen = optionFor(answer, options) ?? any;
  if (answer === "deny") parts.transcript.declined(call.id);
  return chosen === undefined ? CANCELLED : { outcome: { outcome: "selected", optionId: chosen } };
}

/** A failure of ours is a no: an error would leave some programs waiting for an answer. */
async function askHost(asked: RuntimePermission, parts: PermissionParts, signal: AbortSignal): Promise<RuntimeAnswer> {
  try {
    return await parts.host.permit(asked, signal);
  } catch (error) {
    parts.log.warning("failed to ask about a call of an agent program", { error: String(error) });
    return "deny";
  }
}

interface Asked {
  readonly callId: string;
  readonly options: Options;
  readonly cwd: string;
}

/** The request in the words of our approvals. */
function toPermission(call: CallFields, { callId, options, cwd }: Asked): RuntimePermission {
  const kind = natureOf(call);
  const changes = changesOf(call, cwd);
  const base = {
    tool: toolOf(call),
    callId,
    kind,
    cwd: directoryOf(call, cwd),
    scopes: scopesIn(options),
    ...(call.input === undefined ? {} : { args: call.input }),
    ...(call.title === "" ? {} : { reason: call.title }),
  };
  if (kind === "command") return { ...base, command: commandOf(call) };
  if (kind === "tool") return { ...base, command: call.title || toolOf(call) };
  const diff = changes.map(diffOf).join("\n");
  return {
    ...base,
    command: changes.length === 0 ? call.title : summaryOf(changes),
    paths: changes.map(({ path }) => path),
    ...(diff.trim() === "" ? {} : { diff: cut(diff, DIFF_CHARS) }),
  };
}

/** `2 add, 1 update: a, b, c`; the first three paths, then how many more. */
function summaryOf(changes: readonly FileChange[]): string {
  const counts = (["add", "update", "delete"] as const)
    .map((kind) => ({ kind, count: changes.filter((change) => change.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${kind}`);
  const paths = changes.slice(0, 3).map(({ path }) => path);
  const more = changes.length > 3 ? `, +${changes.length - 3} more` : "";
  return `${counts.join(", ")}: ${paths.join(", ")}${more}`;
}

function diffOf({ path, before, after }: FileChange): string {
  if (before === after || before.length + after.length > COMPARED_CHARS) return "";
  const patch = createTwoFilesPatch(`a${path}`, `b${path}`, before, after, undefined, undefined, {
    context: 3,
    timeout: 1_000,
  });
  return patch?.replace(/^=+\n/, "") ?? "";
}

/** An option that covers more than what is asked about: commands that begin alike, hosts, policies. */
const WIDER = /amend|polic|start(s|ing)? with|prefix/i;
const SESSION = /session|conversation/i;

type Option = Options[number];

const says = ({ optionId, name }: Option, what: RegExp): boolean => what.test(optionId) || what.test(name);

const standing = (options: Options): Options =>
  options.filter((option) => option.kind === "allow_always" && !says(option, WIDER));

const sessionOption = (options: Options): Option | undefined =>
  standing(options).find((option) => says(option, SESSION));

const alwaysOption = (options: Options): Option | undefined =>
  standing(options).find((option) => !says(option, SESSION));

/** The scopes that a program offers beside "once". */
export const scopesIn = (options: Options): readonly ("session" | "always")[] => [
  ...(sessionOption(options) === undefined ? [] : (["session"] as const)),
  ...(alwaysOption(options) === undefined ? [] : (["always"] as const)),
];

/** Id of the option that an answer stands for; undefined: the outcome is `cancelled`. A wider scope than the answered one is never chosen. */
export function optionFor(answer: RuntimeAnswer, options: Options): string | undefined {
  const of = (kind: Option["kind"]): Option | undefined => options.find((option) => option.kind === kind);
  switch (answer) {
    case "once":
      return of("allow_once")?.optionId;
    case "session":
      return (sessionOption(options) ?? of("allow_once"))?.optionId;
    case "always":
      return (alwaysOption(options) ?? sessionOption(options) ?? of("allow_once"))?.optionId;
    case "deny":
      return (of("reject_once") ?? of("reject_always"))?.optionId;
    case "cancel":
      return undefined;
  }
}
