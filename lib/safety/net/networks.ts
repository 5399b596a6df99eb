import { isIP } from "node:net";

/** A network as its settings write it: `10.0.0.0/8`, or one address. */
export const isNetwork = (text: string): boolean => networkOf(text) !== undefined;

interface Network {
  readonly bytes: readonly number[];
  readonly bits: number;
}

function networkOf(text: string): Network | undefined {
  const [address = "", length, ...more] = text.trim().split("/");
  const bytes = bytesOf(address);
  if (bytes === undefined || more.length > 0) return undefined;
  const bits = length === undefined ? bytes.length * 8 : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return bits >= 0 && bits <= bytes.length * 8 ? { bytes, bits } : undefined;
}

/** An address of the older form in the newer one is that of the older. */
function bytesOf(given: string): readonly number[] | undefined {
  const address = given.replace(/^::ffff:(?=\d+\.)/i, "");
  if (isIP(address) === 4) return address.split(".").map(Number);
  if (isIP(address) !== 6) return undefined;
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const groups = (part: string | undefined) =>
    part === undefined || part === "" ? [] : part.split(":").map((one) => Number.parseInt(one, 16));
  const left = groups(head);
  const right = groups(tail);
  const whole =
    tail === undefined
      ? left
      : [...left, ...Array<number>(Math.max(0, 8 - left.length - right.length)).fill(0), ...right];
  return whole.flatMap((group) => [group >> 8, group & 255]);
}

/** Whether an address belongs to one of the networks. */
export function inNetworks(address: string, cidrs: readonly string[]): boolean {
  const bytes = bytesOf(address);
  return cidrs.some((one) => {
    const network = networkOf(one);
    return bytes !== undefined && network !== undefined && within(bytes, network);
  });
}

function within(bytes: readonly number[], network: Network): boolean {
  if (bytes.length !== network.bytes.length) return false;
  return network.bytes.every((byte, at) => {
    const left = Math.min(8, Math.max(0, network.bits - at * 8));
    const mask = (0xff << (8 - left)) & 0xff;
    return (byte & mask) === ((bytes[at] ?? 0) & mask);
  });
}
