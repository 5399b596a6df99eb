/** Names whose values are secrets: they are shown masked and written to `.env` (part 70, 9.4). */
export function isSecretName(path: string): boolean {
  const last = path.split(".").at(-1) ?? path;
  return /(_API_KEY|_TOKEN|_SECRET|PASSWORD)$/i.test(last) || /^(api_key|token|secret|password|client_secret|auth_token)$/i.test(last);
}

/** A copy with every secret value masked. References to variables stay readable. */
export function masked(value: unknown, path = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, path));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner, name)]));
  return typeof value === "string" && value !== "" && isSecretName(path) && !value.startsWith("${") ? "[secret]" : value;
}
