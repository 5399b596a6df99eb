import { createHash } from "node:crypto";
import { readFileBytes, statPath } from "../../../lib/base/fs/files.js";
import type { Secret } from "../../../lib/base/secret.js";
import type { Outgoing, Receipt, SendPayload } from "../../../lib/contracts/gateway/outbox.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import type { Answer, Api } from "./api.js";
import type { Grants } from "./grants.js";
import { create, ended, messagesOf, threadOf } from "./messages.js";
import { OWN_MESSAGE } from "./normalise.js";
import { UploadShape } from "./wire.js";

type OutFile = NonNullable<SendPayload["file"]>;

/** Files of answers, uploaded in the name of the user of the turn (`payload.extra.user`), where that user agreed. */
export interface UserFiles {
  send(row: Outgoing, file: OutFile, signal: AbortSignal): Promise<Receipt>;
}

const UPLOAD_BYTES = 64 << 20;
const UPLOAD_MS = 110_000;

export function createUserFiles(api: Api, grants: Grants): UserFiles {
  return {
    send: async (row, file, signal) => {
      const facts = await statPath(file.path);
      if (facts?.kind !== "file") return refused(`the file ${file.name} no longer exists`);
      if (facts.size > UPLOAD_BYTES) return refused(`the file ${file.name} is larger than ${UPLOAD_BYTES >> 20} MB`);
      const user = row.payload.extra?.["user"];
      const grant = typeof user === "string" ? await grants.token(user, signal) : ({ found: "none" } as const);
      if (grant.found === "unreachable")
        return toReceipt({ saw: "unsent", error: "the token of the user cannot be renewed now" });
      if (grant.found === "none") return instead(api, row, file, signal);
      const answer = await uploaded(api, { row, file, token: grant.token }, signal);
      const again = refusesToken(answer) && typeof user === "string" ? await grants.token(user, signal, true) : grant;
      if (again === grant) return answerOf(answer);
      if (again.found !== "token") return instead(api, row, file, signal);
      return answerOf(await uploaded(api, { row, file, token: again.token }, signal));
    },
  };
}

const refused = (error: string): Receipt => ({ result: "refused", error, retryable: false });

const refusesToken = (answer: Answer): boolean =>
  !answer.ok && answer.seen.saw === "answer" && answer.seen.status === 401;

/** A refused token of a user says nothing about that of the bot. */
const answerOf = (answer: Answer): Receipt => ended(answer);

/** Without a grant the chat gets a notice of the file, and of how to get it. */
async function instead(
  api: Api,
  { target, payload, idemKey }: Outgoing,
  file: OutFile,
  signal: AbortSignal,
): Promise<Receipt> {
  const note = `📎 ${file.name} cannot be sent here yet: /setup-files lets me upload files for you.`;
  const text = payload.text === "" ? note : `${payload.text}\n${note}`;
  return ended(await create(api, target, { text, key: idemKey }, signal));
}

interface Uploading {
  readonly row: Outgoing;
  readonly file: OutFile;
  readonly token: Secret;
}

/** Upload, then the message. An upload alone is not visible, so one that was cut off is as good as not begun. */
async function uploaded(api: Api, { row, file, token }: Uploading, signal: AbortSignal): Promise<Answer> {
  const bytes = await readFileBytes(file.path);
  if (bytes === undefined) return gone(`the file ${file.name} no longer exists`);
  const space = row.target.chatId.split("/").map(encodeURIComponent).join("/");
  const path = `/upload/v1/${space}/attachments:upload?uploadType=multipart`;
  const body = multipart(file, bytes);
  const upload = await api.call({ method: "POST", path, body, token, totalMs: UPLOAD_MS, signal });
  if (!upload.ok)
    return upload.seen.saw === "cut" ? { ok: false, seen: { saw: "unsent", error: upload.seen.error } } : upload;
  const ref = UploadShape.safeParse(upload.result).data?.attachmentDataRef;
  if (ref === undefined) return gone("the platform's answer to the upload cannot be read");
  const text = row.payload.text === "" ? {} : { text: row.payload.text };
  const json = { ...text, attachment: [{ attachmentDataRef: ref }], ...threadOf(row.target) };
  const own = `&messageId=${OWN_MESSAGE}${row.idemKey}`;
  return api.call({ method: "POST", path: `${messagesOf(row.target, row.idemKey)}${own}`, json, token, signal });
}

const gone = (error: string): Answer => ({ ok: false, seen: { saw: "answer", status: 400, ownFormat: true, error } });

function multipart({ name, mime }: OutFile, bytes: Uint8Array): { readonly type: string; readonly bytes: Uint8Array } {
  // Drawn from the file, so that no file holds its own boundary but by design of the hash.
  const boundary = `part-${createHash("sha256").update(bytes).digest("hex").slice(0, 40)}`;
  const type = mime.replace(/[\r\n]/g, "");
  const meta = `--${boundary}\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${JSON.stringify({ filename: name })}\r\n`;
  const head = `--${boundary}\r\ncontent-type: ${type}\r\n\r\n`;
  const whole = Buffer.concat([Buffer.from(meta + head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/related; boundary=${boundary}`, bytes: whole };
}
