import type { Paired, PairingList } from "../../contracts/gateway/pairing.js";

const named = ({ user, name }: Pick<Paired, "user" | "name">): string => (name === null ? user : `${user} (${name})`);

/** `msgt 7 (Ann)`. */
export const pairedLine = (one: Pick<Paired, "platform" | "user" | "name">): string => `${one.platform} ${named(one)}`;

export function pairingText({ paired, pending, locked }: PairingList): string {
  const lines = [
    ...paired.map((one) => `paired   ${pairedLine(one)}, since ${one.approved_at}`),
    ...pending.map((one) => `pending  ${pairedLine(one)}, code valid until ${one.expires_at}`),
    ...locked.map((one) => `locked   ${one.platform}: no approvals until ${one.until}, after too many wrong codes`),
  ];
  return lines.length === 0 ? "no paired users and no pending codes" : lines.join("\n");
}
