/** Names whose values are secrets: they are shown masked and written to `.env` (part 70, 9.4). */
export function isSecretName(path: string): boolean {
  const last = path.split(".").at(-1) ?? path;
  return ENDING.test(last) || WHOLE.test(last);
}

const ENDING = /(_API_KEY|_TOKEN|_SECRET|ENCRYPT_KEY|CLIENT_STATE|PASSWORD|PASSPHRASE|PRIVATE_KEY)$/i;
/** Names of settings, and of headers that requests to a provider carry. */
const WHOLE =
  /^(api_keys?|token|secret|password|client_secret|auth_token|(proxy-)?authorization|(x-)?api-?key|x-auth-token|cookie)$/i;

/** A copy with every secret value masked. References to variables stay readable. */
export function masked(value: unknown, path = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, path));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner, name)]));
  return typeof value === "string" && value !== "" && isSecretName(path) && !value.startsWith("${")
    ? "[secret]"
    : value;
}

/** Every secret text inside a value, lists included. */
export function secretTexts(value: unknown, path = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => secretTexts(item, path));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, inner]) => secretTexts(inner, name));
  return typeof value === "string" && isSecretName(path) ? [value] : [];
}

/** Variables that the settings name as the place of a key, whatever they are called. */
export function keyVariables(value: unknown, name = ""): ReadonlySet<string> {
  if (typeof value === "string") return new Set(name === "key_env" || name === "api_key_env" ? [value] : []);
  if (typeof value !== "object" || value === null) return new Set();
  const inner = Array.isArray(value) ? value.map((item): [string, unknown] => [name, item]) : Object.entries(value);
  return new Set(inner.flatMap(([key, item]) => [...keyVariables(item, key)]));
}
