/** Exit codes of every helper of this skill. */
export const EXIT = { failed: 1, usage: 2, quota: 3, upstream: 4 };

/** An expected failure: its message is printed, without a stack, and the helper ends with its exit code. */
export class HelperError extends Error {
  /**
   * @param {number} exit one of EXIT
   * @param {string} message what failed and what to do, lower case, without a final stop
   */
  constructor(exit, message) {
    super(message);
    this.exit = exit;
  }
}

/** @param {string} message */
export const usageError = (message) => new HelperError(EXIT.usage, message);

/** @param {string} message */
export const upstreamError = (message) => new HelperError(EXIT.upstream, message);

/**
 * Text of a server as one line that is safe on a terminal.
 *
 * @param {string} text
 * @param {number} [most] characters kept
 */
export function toOneLine(text, most = 300) {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, most);
}
