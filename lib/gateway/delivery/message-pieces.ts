import type { EventOrigin } from "../../contracts/board/platform-tag.js";
import type { Parcel } from "../../contracts/gateway/courier.js";
import type { NewSend, SendTarget } from "../../contracts/gateway/outbox.js";
import { capsOf } from "../../contracts/gateway/platform-traits.js";
import { toMessageParts } from "../text/message-parts.js";

/** Longest text for a target that does not take several messages for one, and what is shown of a longer one (gateway part, 13.4). */
const WHOLE = 4000;
const SHOWN = 3800;

/** What a message becomes: its texts in order, then its files. The first one quotes what it answers. */
export function toParcelSends(target: SendTarget, parcel: Parcel): readonly NewSend[] {
  const { kind, format, key, files: all = [] } = parcel;
  const { platform } = target;
  const text = bringsFiles(platform) ? parcel.text : `${parcel.text.trim()}\n\n${inPlaceOf(all.length)}`;
  const texts = toMessageParts(platform, text, { format, asked: false }).map(({ payload }) => payload);
  const files = bringsFiles(platform)
    ? all.map((file) => ({ text: "", format: "plain" as const, silent: false, file }))
    : [];
  return [...texts, ...files].map((payload, n) => ({
    kind,
    payload,
    sourceKey: `${key}:${n}`,
    target: n === 0 ? target : { ...target, replyTo: null },
  }));
}

/** Whether files go along with an unrequested message: where each message costs money, a line says how many there are (gateway part, 16.3.5). */
export const bringsFiles = (platform: EventOrigin): boolean => !capsOf(platform).pushCosts;

/** That line; "" without files. */
export const inPlaceOf = (files: number): string =>
  files === 0 ? "" : `📎 ${files} attachment${files === 1 ? "" : "s"}`;

/** A text for a target that does not split: the beginning, then where the whole of it is. `keep` writes it to a file and gives its path. */
export async function cutLong(text: string, keep: (text: string) => Promise<string>): Promise<string> {
  if (text.length <= WHOLE) return text;
  const path = await keep(text);
  let end = SHOWN;
  while (/[\uDC00-\uDFFF]/.test(text[end] ?? "")) end -= 1;
  return `${text.slice(0, end).trimEnd()}\n\n… the whole text of ${text.length} characters is in ${path}`;
}
