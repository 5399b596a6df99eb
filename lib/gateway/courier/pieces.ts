import type { Parcel } from "../../proto/courier.js";
import type { NewSend, SendTarget } from "../../proto/gateway-outbox.js";
import type { Capabilities } from "../../proto/gateway-platform.js";
import { splitText } from "../split.js";

/** Longest text for a target that does not take several messages for one, and what is shown of a longer one (gateway part, 13.4). */
const WHOLE = 4000;
const SHOWN = 3800;

/** What a message becomes: its texts in order, then its files. The first one quotes what it answers. */
export function piecesOf(target: SendTarget, parcel: Parcel, caps: Pick<Capabilities, "textMax">): readonly NewSend[] {
  const { kind, format, key } = parcel;
  const silent = false;
  const texts = splitText(parcel.text.trim(), caps.textMax).map((text) => ({ text, format, silent }));
  const files = (parcel.files ?? []).map((file) => ({ text: "", format: "plain" as const, silent, file }));
  return [...texts, ...files].map((payload, n) => ({
    ...{ kind, payload, sourceKey: `${key}:${n}` },
    target: n === 0 ? target : { ...target, replyTo: null },
  }));
}

/** A text for a target that does not split: the beginning, then where the whole of it is. `keep` writes it to a file and gives its path. */
export async function cutLong(text: string, keep: (text: string) => Promise<string>): Promise<string> {
  if (text.length <= WHOLE) return text;
  const path = await keep(text);
  let end = SHOWN;
  while (/[\uDC00-\uDFFF]/.test(text[end] ?? "")) end -= 1;
  return `${text.slice(0, end).trimEnd()}\n\n… the whole text of ${text.length} characters is in ${path}`;
}
