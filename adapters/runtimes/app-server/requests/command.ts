import * as z from "zod";
import type { RuntimePermission } from "../../../../lib/contracts/runtimes/runtime.js";
import { DECLINED, decide } from "./decision.js";
import type { RequestContext, RequestHandler } from "./types.js";

const FILE_ENTRY = z.looseObject({
  access: z.string(),
  path: z.looseObject({ type: z.string(), path: z.string().nullish(), pattern: z.string().nullish() }),
});

const PARAMS = z.looseObject({
  itemId: z.string(),
  kind: z.string().default("command"),
  command: z.string().nullish(),
  cwd: z.string().nullish(),
  reason: z.string().nullish(),
  networkApprovalContext: z.looseObject({ host: z.string(), protocol: z.string() }).nullish(),
  additionalPermissions: z
    .looseObject({
      network: z.looseObject({ enabled: z.boolean().nullish() }).nullish(),
      fileSystem: z
        .looseObject({
          read: z.array(z.string()).nullish(),
          write: z.array(z.string()).nullish(),
          entries: z.array(FILE_ENTRY).nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

type CommandParams = z.infer<typeof PARAMS>;

/** Kinds of approval that are understood; a request of another kind is declined. */
export const COMMAND_KINDS: readonly string[] = ["command", "writeStdin", "humanCommand"];

/** `item/commandExecution/requestApproval`: a command, network access of one, or text that is typed into one. */
export const answerCommand: RequestHandler = {
  refusal: DECLINED,
  params: [
    "threadId",
    "turnId",
    "itemId",
    "startedAtMs",
    "kind",
    "approvalId",
    "environmentId",
    "command",
    "cwd",
    "reason",
    "commandActions",
    "additionalPermissions",
    "networkApprovalContext",
    "proposedExecpolicyAmendment",
    "proposedNetworkPolicyAmendments",
    "availableDecisions",
  ],
  answer: async (given, context) => {
    const params = PARAMS.parse(given);
    if (!COMMAND_KINDS.includes(params.kind)) {
      context.host.notice({
        level: "warning",
        text: `declined a request of the app-server: unknown kind of approval '${params.kind}'`,
        once: `approval kind ${params.kind}`,
      });
      return DECLINED;
    }
    return decide(toPermission(params, context), context);
  },
};

function toPermission(params: CommandParams, context: RequestContext): RuntimePermission {
  const { kind, itemId, reason } = params;
  const cwd = params.cwd ?? context.cwd;
  const base = {
    tool: "exec_command",
    callId: itemId,
    cwd,
    ...(kind === "humanCommand" ? { person: true as const } : {}),
  };
  if (kind === "writeStdin") return { ...base, ...typedText(params, context), ...toReason(reason) };
  const network = params.networkApprovalContext;
  if (network !== null && network !== undefined) {
    const { host, protocol } = network;
    const command = `network access to ${host} (${protocol})`;
    const about = typeof params.command === "string" ? [`for: ${params.command}`] : [];
    return {
      ...base,
      kind: "tool",
      command,
      hosts: [host],
      args: { host, protocol },
      ...toReason(reason, ...about),
    };
  }
  if (typeof params.command !== "string" || params.command.trim() === "")
    throw new Error("the request for approval names no command");
  const more = additional(params);
  return {
    ...base,
    kind: "command",
    command: params.command,
    args: { command: params.command, cwd },
    ...(more.paths.length === 0 ? {} : { paths: more.paths }),
    ...toReason(reason, ...more.texts),
  };
}

function typedText(
  { command, itemId, cwd }: CommandParams,
  { itemsStarted }: RequestContext,
): Pick<RuntimePermission, "kind" | "command" | "typed" | "args" | "into"> {
  const running = z.looseObject({ command: z.string() }).safeParse(itemsStarted.get(itemId));
  const text = command ?? "";
  return {
    kind: "command",
    command: text,
    typed: true,
    args: { stdin: text, ...(cwd === null || cwd === undefined ? {} : { cwd }) },
    ...(running.success ? { into: running.data.command } : {}),
  };
}

/** Permissions beyond its sandbox that a command asks for: in words, and the paths that it could write. */
function additional({ additionalPermissions: asked }: CommandParams): {
  readonly texts: readonly string[];
  readonly paths: readonly string[];
} {
  const entries = asked?.fileSystem?.entries ?? [];
  const place = ({ path }: z.infer<typeof FILE_ENTRY>) => path.path ?? path.pattern ?? path.type;
  const of = (access: string) => entries.filter((entry) => entry.access === access).map(place);
  const writes = [...new Set([...(asked?.fileSystem?.write ?? []), ...of("write")])];
  const reads = [...new Set([...(asked?.fileSystem?.read ?? []), ...of("read")])];
  const texts = [
    ...(asked?.network?.enabled === true ? ["with network access"] : []),
    ...(writes.length === 0 ? [] : [`may write ${writes.join(", ")}`]),
    ...(reads.length === 0 ? [] : [`may read ${reads.join(", ")}`]),
  ];
  return { texts, paths: writes.filter((path) => path.startsWith("/")) };
}

function toReason(...parts: readonly (string | null | undefined)[]): Pick<RuntimePermission, "reason"> {
  const said = parts.flatMap((part) =>
    part === null || part === undefined || part.trim() === "" ? [] : [part.trim()],
  );
  return said.length === 0 ? {} : { reason: said.join("; ") };
}
