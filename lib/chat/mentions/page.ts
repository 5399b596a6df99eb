import type { NetResponse } from "../../base/net/net.js";
import type { Ms } from "../../base/units.js";
import { plainText } from "../../safety/redact/text.js";
import type { ToolContext } from "../../tools/core/define.js";
import { labelled } from "../../tools/core/untrusted.js";
import { toolPermission } from "../../tools/run/permission.js";
import type { MentionResult } from "./define.js";
import { fenced, inLabel } from "./fenced.js";
import { extractText, extractTitle } from "./html.js";

const LIMIT_MS: Ms = 20_000;
const MOST_BYTES = 2 << 20;
/** Whose rules hold for it. */
const TOOL = "web_extract";
const TEXT = /^(text\/|application\/([\w.-]+\+)?(json|xml|xhtml|javascript|yaml|toml)\b)/;
const HTML = /^(text\/html|application\/xhtml\+xml)\b/;
const HEADERS = { accept: "text/html, text/plain, application/json;q=0.9, */*;q=0.5", "user-agent": "agent" };

/** The text of a web page, which is data of others whatever it says. The guard of addresses is inside the network, at every redirect and socket. */
export async function pageAt(url: string, ctx: ToolContext): Promise<MentionResult> {
  if (!URL.canParse(url)) return { why: "it is no address; one begins with https://" };
  const { username, password } = new URL(url);
  if (username !== "" || password !== "")
    return { why: "its address holds a name or a password, which would be sent to where it leads" };
  const answer = await ctx.permit(toolPermission({ tool: TOOL, preview: url }, [], ctx));
  if (!answer.allowed) return { why: answer.message };
  const { net } = ctx.ports;
  const response = await net.fetch({
    method: "GET",
    url,
    headers: HEADERS,
    purpose: "web",
    totalMs: LIMIT_MS,
    signal: ctx.signal,
  });
  try {
    return await blockOf(url, response, ctx);
  } finally {
    response.cancel();
  }
}

async function blockOf(url: string, response: NetResponse, ctx: ToolContext): Promise<MentionResult> {
  if (response.status < 200 || response.status > 299) return { why: `it answers ${response.status}` };
  const type = (response.headers["content-type"] ?? "text/plain").trim().toLowerCase();
  if (!TEXT.test(type))
    return { why: `it is ${type.split(";", 1)[0]}, no text; keep it as a file and mention that with @file:` };
  const bytes = await bodyOf(response);
  if (bytes === undefined)
    return {
      why: `it has more than ${MOST_BYTES >> 20} MiB; keep it as a file and mention lines of it with @file:PATH:1-200`,
    };
  const source = decoderFor(type).decode(bytes);
  if (source.includes("\0")) return { why: "it holds zero bytes, so it is no text" };
  const html = HTML.test(type);
  const text = plainText(html ? extractText(source) : source);
  const title = html ? extractTitle(source) : undefined;
  const from = response.url === url ? "" : ` (answered by ${inLabel(response.url)})`;
  const label = `@url ${inLabel(url)}${from}: ${title === undefined ? `${text.length} characters` : inLabel(title).slice(0, 50)}`;
  return { text: fenced(label, labelled(TOOL, text)), taken: () => ctx.readUntrusted?.() };
}

async function bodyOf(response: NetResponse): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body) {
    size += piece.length;
    if (size > MOST_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function decoderFor(type: string): InstanceType<typeof TextDecoder> {
  const named = /charset="?([\w-]{1,40})/.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(named);
  } catch {
    return new TextDecoder(); // a set of signs that nobody knows: most of it is readable all the same
  }
}
