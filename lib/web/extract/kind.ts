/** What a body is, whatever its server says. `binary`: nothing that can be read as text. */
export type BodyKind = "html" | "xml" | "json" | "pdf" | "text" | "binary";

const HTML = /^(text\/html|application\/xhtml\+xml)\b/;
const XML = /^(text\/xml|application\/xml|[\w.-]+\/[\w.-]+\+xml)\b/;
const JSON_TYPE = /^(application\/json|text\/json|[\w.-]+\/[\w.-]+\+json)\b/;
const TEXT =
  /^(text\/|application\/(javascript|ecmascript|typescript|yaml|x-yaml|toml|x-sh|x-ndjson|ndjson|jsonl|sql|x-tex|rtf|graphql|x-httpd-php|x-www-form-urlencoded)\b)/;
/** Types that say nothing: the bytes decide. */
const VAGUE =
  /^(|application\/octet-stream|binary\/octet-stream|application\/x-download|application\/force-download|unknown\/unknown)$/;

/** @param type header `content-type` */
export function kindOfBody(type: string, bytes: Uint8Array): BodyKind {
  const plain = type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const head = Buffer.from(bytes.subarray(0, 1_024))
    .toString("latin1")
    .replace(/^\u00ef\u00bb\u00bf/, "")
    .trimStart();
  if (head.startsWith("%PDF-")) return "pdf";
  if (plain === "application/pdf") return "pdf";
  if (HTML.test(plain)) return markupIn(head) ?? (isJson(head) ? "json" : "html");
  if (JSON_TYPE.test(plain)) return "json";
  if (XML.test(plain)) return /<html[\s>]/i.test(head) ? "html" : "xml";
  if (TEXT.test(plain)) return "text";
  if (!VAGUE.test(plain)) return "binary";
  if (bytes.subarray(0, 8_192).includes(0)) return isWide(bytes) ? "text" : "binary";
  return markupIn(head) ?? (isJson(head) ? "json" : "text");
}

/** What markup the text begins with. */
function markupIn(head: string): "html" | "xml" | undefined {
  if (/^(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*(<!doctype html|<html[\s>])/i.test(head)) return "html";
  if (/^(<\?xml|<rss[\s>]|<feed[\s>]|<urlset[\s>]|<sitemapindex[\s>])/i.test(head)) return "xml";
  return undefined;
}

const isJson = (head: string): boolean => /^(\{\s*["}]|\[\s*[[{"\d\]])/.test(head);

const isWide = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
