import { resolve } from "node:path";
import * as z from "zod";
import { DECLINED, decide } from "./decision.js";
import type { RequestHandler } from "./types.js";

const PARAMS = z.looseObject({
  itemId: z.string(),
  kind: z.string().nullish(),
  reason: z.string().nullish(),
  grantRoot: z.string().nullish(),
});

const CHANGE = z.looseObject({
  path: z.string(),
  kind: z.looseObject({ type: z.string(), move_path: z.string().nullish() }),
  diff: z.string().default(""),
});

const ITEM = z.looseObject({ changes: z.array(CHANGE).min(1) });

type Change = z.infer<typeof CHANGE>;

const SHOWN_PATHS = 3;
/** Characters of a diff that a person is shown. */
const DIFF_CHARS = 100_000;

/** `item/fileChange/requestApproval`: the changes stand in the item that was started before. */
export const answerFileChange: RequestHandler = {
  refusal: DECLINED,
  params: ["threadId", "turnId", "itemId", "startedAtMs", "reason", "grantRoot", "kind"],
  answer: async (given, context) => {
    const { itemId, kind, reason, grantRoot } = PARAMS.parse(given);
    const { changes } = ITEM.parse(context.itemsStarted.get(itemId));
    const { cwd } = context;
    const moved = changes.flatMap(({ kind: { move_path: to } }) => (to === null || to === undefined ? [] : [to]));
    const granted = grantRoot === null || grantRoot === undefined ? [] : [grantRoot];
    const reasons = [
      ...(reason === null || reason === undefined || reason.trim() === "" ? [] : [reason.trim()]),
      ...granted.map((root) => `asks to write everything below ${root} in this session`),
    ];
    const paths = [...changes.map(({ path }) => path), ...moved, ...granted].map((path) => resolve(cwd, path));
    return decide(
      {
        tool: "apply_patch",
        callId: itemId,
        kind: "write",
        command: describeChanges(changes),
        cwd,
        paths: [...new Set(paths)],
        args: { changes: changes.map(({ path, kind: { type } }) => ({ kind: type, path })) },
        diff: toDiff(changes),
        ...(reasons.length === 0 ? {} : { reason: reasons.join("; ") }),
        ...(kind === "humanCommand" ? { person: true as const } : {}),
      },
      context,
    );
  },
};

/** `2 add, 1 update: a, b, c`; of more than three paths, how many more. */
function describeChanges(changes: readonly Change[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of changes) counts.set(kind.type, (counts.get(kind.type) ?? 0) + 1);
  const said = [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
  const shown = changes.slice(0, SHOWN_PATHS).map(({ path }) => path);
  const more = changes.length - shown.length;
  return `${said}: ${shown.join(", ")}${more > 0 ? ` +${more} more` : ""}`;
}

/** The app-server has a unified diff for an update, and the whole text for a file that is added or deleted. */
function toDiff(changes: readonly Change[]): string {
  const parts = changes.map(({ path, kind: { type, move_path: to }, diff }) => {
    const from = type === "add" ? "/dev/null" : path;
    const into = type === "delete" ? "/dev/null" : (to ?? path);
    const marked = type === "update" ? diff : mark(diff, type === "add" ? "+" : "-");
    return `--- ${from}\n+++ ${into}\n${marked}`;
  });
  const text = parts.join("\n");
  return text.length <= DIFF_CHARS
    ? text
    : `${text.slice(0, DIFF_CHARS)}\n… (${text.length - DIFF_CHARS} more characters)`;
}

const mark = (text: string, sign: string): string =>
  text === ""
    ? ""
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => `${sign}${line}`)
        .join("\n");
