import { isRecord, jsonOf } from "../../base/json/record.js";
import { errorBodyText } from "../../base/net/error-body.js";

export interface InlineCitation {
  readonly url: string;
  readonly title: string;
  readonly start_index: number | null;
  readonly end_index: number | null;
}

export interface SocialAnswer {
  readonly text: string;
  /** Addresses. */
  readonly citations: readonly string[];
  readonly inlineCitations: readonly InlineCitation[];
}

/** The answer in a response of the Responses protocol; a text says why it is missing. */
export function readSocialAnswer(body: string): SocialAnswer | string {
  const value = jsonOf(body);
  if (!isRecord(value)) return "the vendor did not answer with JSON; try again later";
  if (isRecord(value["error"]) || typeof value["error"] === "string") return errorBodyText(body);
  if (!Array.isArray(value["output"])) return "the vendor's answer has no output; try again later";
  const parts = value["output"]
    .filter(isRecord)
    .filter(({ type }) => type === "message")
    .flatMap(({ content }) => (Array.isArray(content) ? content.filter(isRecord) : []));
  const text = parts
    .flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n")
    .trim();
  if (text === "") return `the vendor's answer has no text${incomplete(value)}; ask again in other words`;
  const annotations = parts.flatMap((part) => (Array.isArray(part["annotations"]) ? part["annotations"] : []));
  return {
    text,
    citations: Array.isArray(value["citations"]) ? value["citations"].flatMap(addressIn) : [],
    inlineCitations: annotations.filter(isRecord).flatMap(inlineCitation),
  };
}

function incomplete({ status, incomplete_details: details }: Record<string, unknown>): string {
  const reason = isRecord(details) ? details["reason"] : undefined;
  return status === "incomplete" ? ` (incomplete${typeof reason === "string" ? `: ${reason}` : ""})` : "";
}

/** The vendor lists addresses, or objects with one. */
function addressIn(one: unknown): readonly string[] {
  const url = isRecord(one) ? one["url"] : one;
  return typeof url === "string" && url !== "" ? [url] : [];
}

function inlineCitation(one: Record<string, unknown>): readonly InlineCitation[] {
  const { url, title } = one;
  if (typeof url !== "string" || url === "") return [];
  const index = (name: string) => (typeof one[name] === "number" ? one[name] : null);
  return [
    {
      url,
      title: typeof title === "string" ? title : "",
      start_index: index("start_index"),
      end_index: index("end_index"),
    },
  ];
}
