import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { AppError } from "../../base/errors.js";
import { type SessionId, toIso } from "../../base/units.js";
import type { ChatApi, ChatEvent } from "../../contracts/chat/chat.js";
import { FORM_ACTIONS } from "../../contracts/chat/form.js";
import { RULE_WIDTHS } from "../../contracts/chat/questions.js";
import { toSessionJson } from "../../contracts/wire/shapes/session-json.js";

const id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // proved by the look-up that follows
const request = z.string().min(1).max(100);
const text = z.string().max(100_000);
const formContent = z.record(z.string().max(200), z.union([text, z.number(), z.boolean(), z.array(text).max(1_000)]));
const hidden = z.object({ request, value: z.string().max(100_000).nullable().default(null) });

/** Methods of questions for front ends (core part, 1.3). A repeated answer that counted before is recognised by its key. */
export function questionMethods(chat: ChatApi): Methods {
  return new Map([
    [
      "question.list",
      defineMethod({
        params: z.object({ session_id: id.optional() }),
        access: "read",
        run: ({ session_id }) => chat.questions(session_id),
      }),
    ],
    [
      "question.explain",
      defineMethod({ params: z.object({ request }), access: "read", run: (given) => chat.explain(given.request) }),
    ],
    [
      "question.touch",
      defineMethod({
        params: z.object({ request }),
        access: "write",
        repeat: () => "safe", // it starts the time over
        run: async (given) => ({ expires_at: await chat.touch(given.request) }),
      }),
    ],
    [
      "approval.respond",
      defineMethod({
        params: z.object({
          request,
          answer: z.enum(["once", "session", "project", "always", "edits", "deny"]),
          text: z.string().max(10_000).optional(),
          width: z.enum(RULE_WIDTHS).optional(),
        }),
        access: "write",
        repeat: () => "safe", // the question that was meant is closed by its owner
        run: async ({ answer, text, width, ...named }, client) =>
          done(chat.answerApproval(named.request, { answer, text, width }, client.kind)),
      }),
    ],
    [
      "clarify.respond",
      defineMethod({
        params: z.object({ request, answer: z.string().max(100_000).nullable().default(null) }),
        access: "write",
        repeat: () => "safe",
        run: async ({ answer, ...named }, client) =>
          done(chat.answerClarify(named.request, answer ?? undefined, client.kind)),
      }),
    ],
    [
      "form.respond",
      defineMethod({
        params: z.object({ request, action: z.enum(FORM_ACTIONS), content: formContent.optional() }),
        access: "write",
        repeat: () => "safe",
        run: async ({ action, content, ...named }, client) =>
          done(chat.answerForm(named.request, { action, content }, client.kind)),
      }),
    ],
    ...hiddenMethods(chat),
    ...attaching(chat),
  ]);
}

function hiddenMethods(chat: ChatApi): Methods {
  const respond = (kind: "password" | "secret") =>
    defineMethod({
      params: hidden,
      access: "write",
      repeat: () => "safe",
      run: async ({ value, ...named }, client) =>
        done(chat.answerHidden(kind, named.request, value ?? undefined, client.kind)),
    });
  return new Map([
    ["password.respond", respond("password")],
    ["secret.respond", respond("secret")],
  ]);
}

/** Events that one answer brings; a client that gets as many attaches again from the last of them. */
const MOST_MISSED = 500;

/** Durable events of a session after a cursor and up to `end`, in order, as events are sent (core part, 1.2). */
async function findMissed(
  chat: ChatApi,
  session: SessionId,
  { after, end }: { readonly after: number; readonly end: number },
) {
  const missed: (Omit<ChatEvent, "at"> & { readonly at: string })[] = [];
  for await (const event of chat.storedEvents(session, after)) {
    if (event.seq === undefined || event.seq > end || missed.length === MOST_MISSED) break;
    missed.push({ ...event, at: toIso(event.at) });
  }
  return missed;
}

/** A front end that shows a session and can answer says so; it ends with its connection, or when it says that. */
function attaching(chat: ChatApi): Methods {
  const shown = new Map<string, { readonly signal: AbortSignal; abort(): void }>();
  const showing = (key: string, gone: AbortSignal): AbortSignal => {
    const before = shown.get(key);
    if (before !== undefined) return before.signal; // a client that attaches again and again is heard of once
    const control = new AbortController();
    const abort = () => {
      shown.delete(key);
      gone.removeEventListener("abort", abort);
      control.abort();
    };
    gone.addEventListener("abort", abort, { once: true });
    if (gone.aborted) abort();
    else shown.set(key, { signal: control.signal, abort });
    return control.signal;
  };
  return new Map([
    [
      "session.attach",
      defineMethod({
        params: z.object({ session_id: id, after_seq: z.int().min(0).optional() }),
        access: "write",
        repeat: () => "safe", // attaching twice is attaching
        run: async ({ session_id, after_seq }, client) => {
          const key = `${client.id} ${session_id}`;
          const session = await chat.get(session_id);
          if (session === undefined)
            throw new AppError("E_NOT_FOUND", `no such session: ${session_id}`, { session: session_id });
          await chat.attach(session_id, showing(key, client.signal));
          const switches = await chat.permissionSwitches(session_id);
          // Before what is stored is read: what comes meanwhile has a higher number, and a subscription from here brings it.
          const end = await chat.cursor(session_id);
          const missed =
            after_seq === undefined ? undefined : await findMissed(chat, session_id, { after: after_seq, end });
          return {
            session: toSessionJson(session),
            ...(missed === undefined ? {} : { events: missed }),
            seq: missed?.length === MOST_MISSED ? (missed.at(-1)?.seq ?? end) : end,
            questions: await chat.questions(session_id),
            yolo: switches.yolo === true,
            ...(await chat.view(session_id)),
          };
        },
      }),
    ],
    [
      "session.detach",
      defineMethod({
        params: z.object({ session_id: id }),
        access: "write",
        repeat: () => "safe",
        run: async ({ session_id }, client) => {
          const key = `${client.id} ${session_id}`;
          const attached = shown.get(key);
          attached?.abort();
          return { detached: attached !== undefined };
        },
      }),
    ],
  ]);
}

async function done(work: Promise<void>): Promise<{ ok: true }> {
  await work;
  return { ok: true };
}
