import { type Home, loginRoot } from "../base/home.js";
import type { LoadedConfig } from "../config/load-config.js";
import { isSecretName, keyVariables, secretTexts } from "../config/secret-names.js";
import { loginSecrets } from "../logins/core/secrets.js";
import { REDACT_SECRETS } from "../safety/config/keys.js";
import { createRedactor, createSecretFinder } from "../safety/redact/redact.js";

/** Redaction of logs: secrets become `[secret:<type>]`. */
export function logRedactor(config: LoadedConfig, home: Home): (text: string) => string {
  const redactor = createRedactor({ known: secretsOf(config, home), enabled: config.get(REDACT_SECRETS) });
  return (text) => redactor.text(text);
}

/** Finds a secret in a text that the product itself holds. */
export function secretFinder(config: LoadedConfig, home: Home): (text: string) => string | undefined {
  return createSecretFinder(secretsOf(config, home));
}

/** Looked for again when the settings were read again or logins changed; the environment stays as it was loaded. */
export function secretsOf(config: LoadedConfig, home: Home): () => readonly string[] {
  const stored = loginSecrets(loginRoot(home));
  let file: LoadedConfig["file"] | undefined;
  let logins: readonly string[] | undefined;
  let values: readonly string[] = [];
  return () => {
    const now = stored();
    if (file !== config.file || logins !== now) values = [...knownSecrets(config), ...now];
    file = config.file;
    logins = now;
    return values;
  };
}

/** A key file may be given by its path, or as its text. */
const isKeyFile = (name: string, value: string): boolean =>
  name.endsWith("_SERVICE_ACCOUNT_JSON") && value.trimStart().startsWith("{");

/** Values that the product itself holds: secret settings, and secret variables of `.env` and the environment. */
function knownSecrets(config: LoadedConfig): readonly string[] {
  const fromFile = secretTexts(config.file);
  const named = keyVariables(config.file);
  const fromEnv = Object.entries(config.env).flatMap(([name, value]) =>
    value !== undefined && (isSecretName(name) || named.has(name) || isKeyFile(name, value)) ? [value] : [],
  );
  return [...fromFile, ...fromEnv].filter((value) => value.length >= 8 && !value.startsWith("${"));
}
