/** What is kept in place of a token when a cookie says who it is: this and the word that goes with every change. A token has no blank. */
const COOKIE = "cookie ";

/** The credential of who has logged in with a password. */
export const cookieCredential = (csrf: string): string => COOKIE + csrf;

export const isCookie = (credential: string | undefined): boolean => credential?.startsWith(COOKIE) === true;

/** The headers by which the owner knows who asks. */
export function knownBy(credential: string | undefined): Readonly<Record<string, string>> {
  if (credential === undefined) return {};
  return isCookie(credential)
    ? { "X-Agent-CSRF": credential.slice(COOKIE.length) }
    : { "X-Agent-Session-Token": credential };
}
