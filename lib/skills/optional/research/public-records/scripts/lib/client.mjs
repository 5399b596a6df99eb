import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { note } from "./command.mjs";
import { EXIT, HelperError, toOneLine, upstreamError, usageError } from "./errors.mjs";
import { reasonOf } from "./files.mjs";

const TIMEOUT_MS = 30_000;
/** For a download: longest time until its first byte, and between two. */
const BULK_TIMEOUT_MS = 120_000;
const RETRIES = 3;
const RETRIED = new Set([500, 502, 503, 504]);
/** A server that asks for a longer pause is not waited for. */
const LONGEST_WAIT_SECONDS = 300;
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
const MOST_DOWNLOAD_BYTES = 1024 * 1024 * 1024;
/** Of the body of an error. */
const ERROR_BODY_BYTES = 2048;

/**
 * @typedef {object} Request
 * @property {"GET" | "POST"} [method]
 * @property {Record<string, string>} [headers]
 * @property {unknown} [json] body of a POST
 * @property {unknown} [whenEmpty] what an empty answer means to `json`; default: an error
 * @property {(text: string) => string} [repair] mends an answer that is not valid JSON, for services that are known to send such
 */

/**
 * @typedef {object} Answer
 * @property {Headers} headers
 * @property {Buffer} body
 */

/** The way to one service: retries, quota, timeouts and mirrors are the same for all of them. */
export class Client {
  #baseUrl;
  #userAgent;
  #quotaAdvice;

  /**
   * @param {object} settings
   * @param {string | undefined} settings.baseUrl where requests go in place of `https://<host>`: `<baseUrl>/<host>`
   * @param {string} settings.userAgent
   * @param {string} settings.quotaAdvice what helps when the quota is used up
   */
  constructor({ baseUrl, userAgent, quotaAdvice }) {
    this.#baseUrl = baseUrl === undefined ? undefined : checkBaseUrl(baseUrl);
    this.#userAgent = userAgent;
    this.#quotaAdvice = quotaAdvice;
  }

  /**
   * @param {string | URL} url
   * @param {Request} [request]
   * @returns {Promise<any>} the parsed answer
   */
  async json(url, request) {
    const text = await this.text(url, request);
    if (text.trim() === "" && request?.whenEmpty !== undefined) return request.whenEmpty;
    const value = parseJson(text) ?? (request?.repair && parseJson(request.repair(text)));
    if (value === undefined)
      throw upstreamError(`${hostOf(url)} did not answer with JSON: ${toOneLine(text) || "(empty)"}`);
    return value.parsed;
  }

  /**
   * @param {string | URL} url
   * @param {Request} [request]
   */
  async text(url, request) {
    return (await this.get(url, request)).body.toString("utf8");
  }

  /**
   * @param {string | URL} url
   * @param {Request} [request]
   * @returns {Promise<Answer>}
   */
  get(url, request = {}) {
    return this.#retried(url, async () => {
      const response = await this.#send(url, request, AbortSignal.timeout(TIMEOUT_MS));
      return { headers: response.headers, body: await readBody(response, hostOf(url)) };
    });
  }

  /**
   * Load a large file. It appears at `path` when it is complete.
   *
   * @param {string | URL} url
   * @param {string} path
   */
  download(url, path) {
    return this.#retried(url, async () => {
      const idle = new AbortController();
      const abort = () => idle.abort(new Error(`no data for ${BULK_TIMEOUT_MS / 1000} s`));
      const timer = setTimeout(abort, BULK_TIMEOUT_MS);
      try {
        const response = await this.#send(url, {}, idle.signal);
        const body = limited(response, hostOf(url), MOST_DOWNLOAD_BYTES, () => timer.refresh());
        await writeStream(path, body);
      } finally {
        clearTimeout(timer);
      }
    });
  }

  /**
   * Address of the next page as the service gives it. It may lead to the same service only: credentials are sent along.
   *
   * @param {unknown} next
   * @param {string} host
   * @returns {string | undefined} undefined: this was the last page
   */
  nextPage(next, host) {
    if (next === null || next === undefined || next === "") return undefined;
    const text = String(next);
    const prefix = this.#baseUrl === undefined ? undefined : `${this.#baseUrl}/${host}/`;
    if (prefix !== undefined && text.startsWith(prefix)) return `https://${host}/${text.slice(prefix.length)}`;
    const url = URL.canParse(text, `https://${host}/`) ? new URL(text, `https://${host}/`) : undefined;
    if (url?.host !== host) throw upstreamError(`${host} names a next page at another address: ${toOneLine(text)}`);
    url.protocol = "https:";
    return url.href;
  }

  /**
   * @template T
   * @param {string | URL} url
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #retried(url, work) {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        const failure = error instanceof HelperError ? error : networkError(url, error);
        if (!(failure instanceof RetryError)) throw failure;
        if (attempt === RETRIES) throw upstreamError(`${failure.message}, after ${RETRIES} retries`);
        const seconds = failure.waitSeconds ?? 1.5 ** (attempt + 1);
        if (seconds > LONGEST_WAIT_SECONDS)
          throw upstreamError(`${failure.message}, and asks for a pause of ${seconds} s; try again later`);
        note(`${failure.message}; retry ${attempt + 1} of ${RETRIES} in ${seconds} s`);
        await sleep(seconds * 1000);
      }
    }
  }

  /**
   * @param {string | URL} url
   * @param {Request} request
   * @param {AbortSignal} signal
   */
  async #send(url, { method = "GET", headers = {}, json }, signal) {
    /** @type {Record<string, string>} */
    const sent = { accept: "*/*", "user-agent": this.#userAgent, ...headers };
    if (json !== undefined) sent["content-type"] = "application/json";
    const body = json === undefined ? null : JSON.stringify(json);
    const response = await fetch(this.#address(url), { method, headers: sent, body, signal });
    if (response.ok) return response;
    throw await this.#refusal(url, response);
  }

  /** @param {string | URL} url */
  #address(url) {
    const { host, pathname, search, href } = new URL(url);
    return this.#baseUrl === undefined ? href : `${this.#baseUrl}/${host}${pathname}${search}`;
  }

  /**
   * @param {string | URL} url
   * @param {Response} response
   */
  async #refusal(url, response) {
    const host = hostOf(url);
    const text = toOneLine(await readStart(response, ERROR_BODY_BYTES));
    if (response.status === 429) return this.#quotaError(host, text);
    const says = `${host} answered ${response.status}${text === "" ? "" : `: ${text}`}`;
    if (!RETRIED.has(response.status)) return upstreamError(says);
    return new RetryError(says, toSeconds(response.headers.get("retry-after")));
  }

  /**
   * @param {string} host
   * @param {string} text
   */
  #quotaError(host, text) {
    const advice = `The request was not repeated. ${this.#quotaAdvice} Report this to the user once; do not run it again now.`;
    return new HelperError(EXIT.quota, `quota of ${host} exceeded (429). ${advice}\nupstream: ${text || "(no text)"}`);
  }
}

/** A failure that may be over at the next attempt. */
class RetryError extends HelperError {
  /**
   * @param {string} message
   * @param {number} [waitSeconds] pause that the server asks for
   */
  constructor(message, waitSeconds) {
    super(EXIT.upstream, message);
    this.waitSeconds = waitSeconds;
  }
}

/**
 * @param {string} text
 * @returns {{ parsed: any } | undefined} undefined: not JSON
 */
function parseJson(text) {
  try {
    return { parsed: JSON.parse(text) };
  } catch {
    return undefined; // Reported with the text by whoever asked.
  }
}

/** @param {string | URL} url */
const hostOf = (url) => new URL(url).host;

/** @param {string} baseUrl */
function checkBaseUrl(baseUrl) {
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl))
    throw usageError(`--base-url: '${baseUrl}' is not an http or https address`);
  return baseUrl.replace(/\/+$/, "");
}

/**
 * @param {string | URL} url
 * @param {unknown} error
 */
function networkError(url, error) {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason =
    cause instanceof Error && cause.name === "TimeoutError" ? `no answer in ${TIMEOUT_MS / 1000} s` : reasonOf(cause);
  return new RetryError(`${hostOf(url)} could not be read: ${reason}`);
}

/** @param {string | null} text */
function toSeconds(text) {
  return text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

/**
 * @param {Response} response
 * @param {string} host
 */
async function readBody(response, host) {
  /** @type {Buffer[]} */
  const pieces = [];
  for await (const piece of limited(response, host, MOST_ANSWER_BYTES)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/**
 * @param {Response} response
 * @param {string} host
 * @param {number} most bytes
 * @param {() => void} [onPiece]
 * @returns {AsyncGenerator<Buffer>}
 */
async function* limited(response, host, most, onPiece = () => undefined) {
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    onPiece();
    bytes += piece.length;
    if (bytes > most) throw upstreamError(`${host} sent more than ${most} bytes`);
    yield Buffer.from(piece);
  }
}

/**
 * The first bytes of a body; the rest is not read.
 *
 * @param {Response} response
 * @param {number} most
 */
async function readStart(response, most) {
  /** @type {Buffer[]} */
  const pieces = [];
  let bytes = 0;
  try {
    for await (const piece of response.body ?? []) {
      pieces.push(Buffer.from(piece));
      bytes += piece.length;
      if (bytes >= most) break;
    }
  } catch {
    /* ok to lose: the text explains the status, and the status is known. */
  }
  return Buffer.concat(pieces).subarray(0, most).toString("utf8");
}

/**
 * @param {string} path
 * @param {AsyncGenerator<Buffer>} body
 */
async function writeStream(path, body) {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await pipeline(Readable.from(body), createWriteStream(temporary));
    await rename(temporary, path);
  } catch (error) {
    // A full or read-only disk is not better at the next attempt; a cut connection may be.
    if (isDiskError(error)) throw new HelperError(EXIT.failed, `cannot write ${path}: ${reasonOf(error)}`);
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** @param {unknown} error */
function isDiskError(error) {
  const call = error instanceof Error && "syscall" in error ? error.syscall : undefined;
  return call === "open" || call === "write" || call === "mkdir" || call === "rename";
}
