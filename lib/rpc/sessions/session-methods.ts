import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { AppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi, NewSession } from "../../contracts/chat/chat.js";
import { toListedJson, toMessageJson, toSessionJson } from "../../contracts/wire/shapes/session-json.js";
import { parseRuleEntry } from "../../safety/rules/entry.js";
import { looksLikeData } from "../../safety/rules/text.js";

const id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // proved by the look-up that follows

/** A rule that cannot be understood is refused: left out it would let happen, or ask about, what it was given for. Maps and lists are looked at when the session opens. */
const ruleOf = (list: "allow" | "deny") =>
  z.string().superRefine((value, told) => {
    if (looksLikeData(value.trim())) return;
    const parsed = parseRuleEntry({ list, value });
    if (typeof parsed === "string") told.addIssue({ code: "custom", message: `'${value}': ${parsed}` });
  });

const create = z.object({
  source: z.enum(["cli", "workspace", "inline", "acp"]).default("cli"),
  cwd: z.string(),
  env: z.record(z.string(), z.string()).default({}),
  model: z.string().optional(),
  provider: z.string().optional(),
  toolsets: z.array(z.string()).optional(),
  /** Skills whose text stands in the prompt from the start. */
  skills: z.array(z.string()).optional(),
  title: z.string().optional(),
  yolo: z.boolean().default(false),
  checkpoints: z.boolean().optional(),
  ignore_rules: z.boolean().default(false),
  ephemeral: z.boolean().default(false),
  allow: z.array(ruleOf("allow")).default([]),
  deny: z.array(ruleOf("deny")).default([]),
  max_turns: z.int().min(1).optional(),
  max_cost_usd: z.number().positive().optional(),
});

type Asked = z.output<typeof create>;

/** Conversations that people have with this owner. Those of workers and helpers belong to their runner. */
const HERE: ReadonlySet<string> = new Set(["cli", "workspace", "inline", "acp"]);

/** The options as the chat knows them. */
function toOptions({
  ignore_rules: ignoreRules,
  max_turns: maxTurns,
  max_cost_usd: maxCostUsd,
  ...options
}: Asked): NewSession {
  return { ...defined({ ...options, maxTurns, maxCostUsd }), ignoreRules };
}

/** Methods of conversations for front ends (core part, 1.3). A turn is acknowledged when its user message is durable; its end is an event. */
export function sessionMethods(chat: ChatApi): Methods {
  return new Map([...opening(chat), ...reading(chat)]);
}

/** Each of these binds the conversation to the connection that it came on: when the connection closes, the conversation is left. */
function opening(chat: ChatApi): Methods {
  return new Map([
    [
      "session.create",
      defineMethod({
        params: create,
        access: "write",
        run: async (params, client) => toSessionJson(await chat.create(toOptions(params), client)),
      }),
    ],
    [
      "session.resume",
      defineMethod({
        // An id, a beginning of one, or a title; empty: the newest of this directory, else of all.
        params: create.extend({ session_id: z.string() }),
        access: "write",
        repeat: () => "safe", // opening twice is opening
        run: async ({ session_id, ...options }, client) => {
          const latest = session_id === "" ? await chat.latest(options.cwd) : undefined;
          const named = async () => (await chat.get(session_id as SessionId)) ?? chat.find(session_id); // perhaps an id: it is looked up
          const found = latest?.session ?? (session_id === "" ? undefined : await named());
          const opened =
            found === undefined
              ? chat.create(toOptions(options), client)
              : chat.resume(found.id, toOptions(options), client);
          return toSessionJson(await opened);
        },
      }),
    ],
    [
      "session.visit",
      defineMethod({
        // For a front end that has nothing to say about how a conversation is worked: one that is open stays as it is.
        params: z.object({ session_id: id, env: z.record(z.string(), z.string()).default({}) }),
        access: "write",
        repeat: () => "safe",
        run: async ({ session_id, env }, client) => {
          const session = await chat.get(session_id);
          if (session === undefined)
            throw new AppError("E_NOT_FOUND", `no such session: ${session_id}`, { session: session_id });
          if (!HERE.has(session.source)) return toSessionJson(session);
          return toSessionJson(await chat.visit(session.id, { source: "workspace", cwd: session.cwd, env }, client));
        },
      }),
    ],
  ]);
}

function reading(chat: ChatApi): Methods {
  return new Map([
    [
      "session.get",
      defineMethod({
        params: z.object({ session_id: id }),
        access: "read",
        run: async ({ session_id }) => {
          const found = await chat.get(session_id);
          return found === undefined ? null : toSessionJson(found);
        },
      }),
    ],
    [
      "session.list",
      defineMethod({
        params: z.object({
          source: z.string().optional(),
          archived: z.boolean().optional(),
          limit: z.int().min(1).max(1000).optional(),
        }),
        access: "read",
        run: async (filter) => (await chat.list(defined(filter))).map(toListedJson),
      }),
    ],
    [
      "session.messages",
      defineMethod({
        params: z.object({
          session_id: id,
          before: z.int().optional(),
          after: z.int().optional(),
          limit: z.int().min(1).max(200).optional(),
        }),
        access: "read",
        run: async ({ session_id, ...page }) => (await chat.messages(session_id, defined(page))).map(toMessageJson),
      }),
    ],
  ]);
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Leave out what was not given: the records tell a missing member from an undefined one. */
function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Defined<T>; // only undefined members were taken out
}
