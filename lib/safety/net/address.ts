import { memo } from "../../base/async/memo.js";

/** What an address is, as far as the address guard cares. `metadata` is refused whatever the switches say. */
export type AddressKind =
  | "public"
  | "metadata"
  | "loopback"
  | "private"
  | "link-local"
  | "unique-local"
  | "carrier"
  | "multicast"
  | "reserved"
  | "documentation"
  | "unspecified"
  | "broadcast";

type Range = readonly [prefix: string, bits: number, kind: AddressKind];

/** First match wins. Sources: the IANA special-purpose registries and the housekeeping part, 13. */
const V4: readonly Range[] = [
  ["169.254.0.0", 16, "metadata"],
  ["100.100.100.200", 32, "metadata"],
  ["0.0.0.0", 8, "unspecified"],
  ["127.0.0.0", 8, "loopback"],
  ["10.0.0.0", 8, "private"],
  ["172.16.0.0", 12, "private"],
  ["192.168.0.0", 16, "private"],
  ["100.64.0.0", 10, "carrier"],
  ["192.0.2.0", 24, "documentation"],
  ["198.51.100.0", 24, "documentation"],
  ["203.0.113.0", 24, "documentation"],
  ["192.0.0.0", 24, "reserved"],
  ["192.88.99.0", 24, "reserved"],
  ["198.18.0.0", 15, "reserved"],
  ["224.0.0.0", 4, "multicast"],
  ["255.255.255.255", 32, "broadcast"],
  ["240.0.0.0", 4, "reserved"],
];

const V6: readonly Range[] = [
  ["fd00:ec2::254", 128, "metadata"],
  ["fe80::", 10, "metadata"],
  ["::", 128, "unspecified"],
  ["::1", 128, "loopback"],
  ["fc00::", 7, "unique-local"],
  ["fec0::", 10, "private"],
  ["ff00::", 8, "multicast"],
  ["2001:db8::", 32, "documentation"],
  ["3fff::", 20, "documentation"],
  ["2001::", 23, "reserved"],
];

/** IPv6 forms that carry an IPv4 address: where it stands. */
const EMBEDDED: readonly (readonly [prefix: string, bits: number, at: number])[] = [
  ["::ffff:0:0", 96, 12],
  ["::ffff:0:0:0", 96, 12],
  ["64:ff9b::", 96, 12],
  ["2002::", 16, 2],
  ["::", 96, 12],
];

/** Names under which clouds answer with credentials, without a trailing dot. */
const METADATA_NAMES = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.com",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "metadata.packet.net",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** The 4 or 16 bytes of a literal address (a zone id is left out), or undefined when `text` is none. Only canonical IPv4 is taken. */
function addressBytes(text: string): readonly number[] | undefined {
  const bare = text.replace(/^\[|\]$/g, "").split("%")[0] ?? "";
  return bare.includes(":") ? v6Bytes(bare) : v4Bytes(bare);
}

function v4Bytes(text: string): readonly number[] | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
  const bytes = text.split(".").map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function v6Bytes(text: string): readonly number[] | undefined {
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const four = tail?.[2] === undefined ? undefined : v4Bytes(tail[2]);
  if (tail && !four) return undefined;
  const plain = tail && four ? `${tail[1]}${hexPair(four, 0)}:${hexPair(four, 2)}` : text;
  const halves = plain.split("::");
  if (halves.length > 2) return undefined;
  const [head, end] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const groups = fill(head ?? [], end);
  if (groups?.length !== 8 || !groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
}

const hexPair = (bytes: readonly number[], at: number) => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16);

function fill(head: readonly string[], end: readonly string[] | undefined): readonly string[] | undefined {
  if (end === undefined) return head;
  const missing = 8 - head.length - end.length;
  return missing < 1 ? undefined : [...head, ...Array.from({ length: missing }, () => "0"), ...end];
}

function within(bytes: readonly number[], prefix: string, bits: number): boolean {
  const wanted = addressBytes(prefix);
  if (wanted?.length !== bytes.length) return false;
  return bytes.every((byte, n) => {
    const kept = Math.min(8, Math.max(0, bits - n * 8));
    const mask = (0xff << (8 - kept)) & 0xff;
    return (byte & mask) === ((wanted[n] ?? 0) & mask);
  });
}

/**
 * What kind of address `text` is. Other text counts as `reserved`, so that it is refused. Each request asks twice about the address
 * of its endpoint, which mostly is the one of the request before.
 */
export const classifyAddress: (text: string) => AddressKind = memo((text: string) => {
  const bytes = addressBytes(text);
  return bytes === undefined ? "reserved" : kindOf(bytes);
});

function kindOf(bytes: readonly number[]): AddressKind {
  const ranges = bytes.length === 4 ? V4 : V6;
  const direct = ranges.find(([prefix, bits]) => within(bytes, prefix, bits));
  if (direct) return direct[2];
  if (bytes.length === 4) return "public";
  const carrier = EMBEDDED.find(([prefix, bits]) => within(bytes, prefix, bits));
  if (carrier) return kindOf(bytes.slice(carrier[2], carrier[2] + 4));
  // Only 2000::/3 is assigned for global use.
  return within(bytes, "2000::", 3) ? "public" : "reserved";
}

/** Whether `text` lies in `range` (`198.18.0.0/15`). False for a range that cannot be read. */
export function inRange(text: string, range: string): boolean {
  const [prefix = "", bits] = range.split("/");
  const bytes = addressBytes(text);
  const size = addressBytes(prefix)?.length;
  if (bytes === undefined || size === undefined) return false;
  const wanted = bits === undefined ? size * 8 : Number(bits);
  return Number.isInteger(wanted) && wanted >= 0 && wanted <= size * 8 && within(bytes, prefix, wanted);
}

/** Whether a text is an IP address, without brackets. */
export const isAddress = (text: string): boolean => addressBytes(text) !== undefined;

export type UrlCheck =
  | { readonly ok: true; readonly url: URL; readonly host: string; readonly literal: boolean }
  | { readonly ok: false; readonly reason: string };

/**
 * Parse an address for a request. The URL parser turns decimal, octal, hex and short IPv4 forms, compressed IPv6 and punycode into one
 * spelling; a trailing dot is taken off here. Only http and https, never a metadata name.
 */
export function checkUrl(text: string): UrlCheck {
  if (!URL.canParse(text)) return { ok: false, reason: `blocked: ${shown(text)} is not a valid address` };
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { ok: false, reason: `blocked: the scheme ${url.protocol} is not http or https` };
  }
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  if (host === "") return { ok: false, reason: `blocked: ${shown(text)} names no host` };
  if (METADATA_NAMES.has(host))
    return { ok: false, reason: `blocked: ${host} is a cloud metadata name, which is never asked` };
  return { ok: true, url, host, literal: addressBytes(host) !== undefined };
}

const shown = (text: string) => JSON.stringify(text.slice(0, 100));

/** Which addresses a request may reach. `model`: all but metadata; `loopback`: loopback only; `web`: public ones, others when allowed. */
export interface AddressRule {
  readonly purpose: "model" | "web" | "loopback";
  readonly allowPrivate: boolean;
  readonly fakeRanges: readonly string[];
  /** Setting that lets private addresses through, as a refusal names it; default: that of the whole program. */
  readonly setting?: string;
}

/** Why `address` must not be reached for `host`, or undefined when it may be. `named`: the host was a name, not the address itself. */
export function addressRefusal(address: string, host: string, named: boolean, rule: AddressRule): string | undefined {
  const kind = classifyAddress(address);
  const at = named ? `${host} is ${address}, ` : `${address} is `;
  if (kind === "metadata") return `blocked: ${at}a link-local or metadata address, which is never asked`;
  if (rule.purpose === "loopback") return kind === "loopback" ? undefined : `blocked: ${at}no loopback address`;
  if (kind === "public" || rule.purpose === "model" || rule.allowPrivate) return undefined;
  if (named && rule.fakeRanges.some((range) => inRange(address, range))) return undefined;
  const fake =
    named && inRange(address, "198.18.0.0/15")
      ? "; if a local proxy answers so for public names: security.fake_ip_ranges"
      : "";
  return `blocked: ${at}${article(kind)} address (${rule.setting ?? "security.allow_private_urls"}${fake})`;
}

const article = (kind: AddressKind) => (/^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`);
