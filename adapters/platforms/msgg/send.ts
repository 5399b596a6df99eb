import type { Outgoing, Receipt } from "../../../lib/contracts/gateway/outbox.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import type { Answer, Api } from "./api.js";
import { toChat } from "./markdown.js";
import { create, ended, patch, pathOf } from "./messages.js";
import type { UserFiles } from "./upload.js";

export interface SendParts {
  readonly api: Api;
  readonly files: UserFiles;
}

/** Send one row. A message that is to be edited and is gone is sent again, under the row's own key. */
export async function sendRow(parts: SendParts, row: Outgoing, signal: AbortSignal): Promise<Receipt> {
  const { api } = parts;
  const { payload, target } = row;
  const text = payload.format === "markdown" ? toChat(payload.text) : payload.text;
  if (row.via === "remove")
    return removed(await api.call({ method: "DELETE", path: pathOf(payload.messageId), signal }));
  if (row.via === "edit") {
    const answer = await patch(api, payload.messageId, text, signal);
    const gone = !answer.ok && answer.seen.saw === "answer" && answer.seen.status === 404 && answer.seen.ownFormat;
    if (!gone) return ended(answer);
  } else if (payload.file !== undefined) {
    return parts.files.send(row, payload.file, signal);
  }
  return ended(await create(api, target, { text, key: row.idemKey }, signal));
}

/** Gone already is as good as removed. */
function removed(answer: Answer): Receipt {
  const gone = !answer.ok && answer.seen.saw === "answer" && answer.seen.status === 404 && answer.seen.ownFormat;
  return gone ? toReceipt({ saw: "accepted", messageId: null }) : ended(answer);
}
