import { toAppError } from "../../../lib/base/errors.js";
import type { Ms } from "../../../lib/base/units.js";
import type {
  MediaCall,
  MediaContext,
  MediaOutcome,
  VideoBackend,
  VideoJob,
  VideoModel,
} from "../../../lib/contracts/media/backends.js";
import { VIDEO_GEN } from "../../../lib/contracts/media/keys.js";
import type { ToolCredential } from "../../../lib/contracts/models/tool-credentials.js";
import {
  type Answer,
  ask,
  type BackendWords,
  cancelled,
  type Failed,
  garbled,
  isGood,
  mayPass,
  refusal,
  saidIn,
  textAt,
  unreachable,
} from "../wire/exchange.js";

const taken: Omit<VideoModel, "id" | "modalities"> = {
  durations: { min: 1, max: 15 },
  aspectRatios: ["16:9", "9:16", "1:1", "4:3", "3:4", "3:2", "2:3"],
  resolutions: ["480p", "720p"],
  audio: false,
  negativePrompt: false,
  seed: false,
  maxReferences: 7,
  maxSecondsWithReferences: 10,
};

const TEXT_MODEL: VideoModel = { ...taken, id: "grok-imagine-video", modalities: ["text", "image"] };
const IMAGE_MODEL: VideoModel = { ...taken, id: "grok-imagine-video-1.5-preview", modalities: ["image"] };

const POLL_MS: Ms = 5_000;
const LIMIT_MS: Ms = 240_000;

const words: BackendWords = {
  name: "direct",
  keyRemedy: "agent auth add search-vendor, or correct SEARCH_VENDOR_API_KEY in .env of the home",
  setting: "video_gen.provider",
};

/** The search vendor's own endpoint for videos (extensions part, 10.2). */
export const directVideo: VideoBackend = {
  name: "direct",
  knowsKeys: true,
  aliases: ["search-vendor", "xai"],
  models: async () => [TEXT_MODEL, IMAGE_MODEL],
  defaultModel: (modality) => (modality === "image" ? IMAGE_MODEL : TEXT_MODEL).id,
  defaultSeconds: 8,
  chosenModel: (config) => config.get(VIDEO_GEN.directModel),
  lacks: async ({ credentials }) =>
    (await credentials.exists("auto"))
      ? undefined
      : "agent auth add search-vendor, or set SEARCH_VENDOR_API_KEY in .env",
  generate: async (job, call, around) => {
    let credential: ToolCredential;
    try {
      credential = await around.credentials.get("auto", around.config.get(VIDEO_GEN.directUrl), call.signal);
    } catch (error) {
      if (call.signal.aborted) return cancelled(words.name, call.accepted !== undefined);
      const { code, message } = toAppError(error);
      return { ok: false, code: code === "E_RATE_LIMIT" ? "direct_429" : "auth_required", message };
    }
    return new Generation(job, call, around, credential).run();
  },
};

/** One generation, with the credential that it goes on with. */
class Generation {
  readonly #job: VideoJob;
  readonly #call: MediaCall;
  readonly #around: MediaContext;
  #credential: ToolCredential;
  #renewed = false;

  constructor(job: VideoJob, call: MediaCall, around: MediaContext, credential: ToolCredential) {
    this.#job = job;
    this.#call = call;
    this.#around = around;
    this.#credential = credential;
  }

  async run(): Promise<MediaOutcome> {
    const { signal, accepted } = this.#call;
    let id = accepted?.["request_id"];
    try {
      if (id === undefined) {
        const submitted = await this.#submit();
        if (typeof submitted !== "string") return submitted;
        id = submitted;
      }
      return await this.#wait(id);
    } catch (error) {
      // It cannot be taken back. The key of the request, or its id, finds it again.
      if (signal.aborted) return cancelled(words.name, true);
      if (toAppError(error).code === "E_AUTH")
        return { ok: false, code: "auth_required", message: toAppError(error).message };
      return { ...unreachable(words, error), open: true };
    }
  }

  async #submit(): Promise<string | Failed> {
    const answer = await this.#ask("POST", "/videos/generations", bodyOf(this.#job));
    if (!isGood(answer)) return refusal(words, answer, this.#around.clock.now());
    const id = textAt(answer.value, "request_id");
    if (id === undefined) return garbled(words, "request_id", answer);
    await this.#around.credentials.worked(this.#credential);
    await this.#call.onAccepted({ request_id: id });
    return id;
  }

  async #wait(id: string): Promise<MediaOutcome> {
    const { clock } = this.#around;
    const { signal, progress } = this.#call;
    const until = clock.mono() + LIMIT_MS;
    for (;;) {
      const answer = await this.#ask("GET", `/videos/${encodeURIComponent(id)}`).catch((error: unknown) => {
        if (signal.aborted || toAppError(error).code === "E_AUTH") throw error;
        progress(unreachable(words, error).message);
        return undefined; // said above; the request goes on at the provider
      });
      const outcome = answer === undefined ? undefined : this.#outcomeOf(id, answer);
      if (outcome !== undefined) return outcome;
      if (clock.mono() + POLL_MS > until) break;
      await clock.sleep(POLL_MS, signal);
    }
    const message = `direct was not done within ${LIMIT_MS / 1_000} s. The same call again goes on waiting for it, at no further cost`;
    return { ok: false, code: "timeout", message, open: true };
  }

  /** Undefined: it goes on. */
  #outcomeOf(id: string, answer: Answer): MediaOutcome | undefined {
    if (!isGood(answer)) return mayPass(answer) ? undefined : refusal(words, answer, this.#around.clock.now());
    const status = textAt(answer.value, "status")?.toLowerCase() ?? "";
    if (status === "done") {
      const url = textAt(answer.value, "video", "url");
      const extras = { request_id: id, credential_source: this.#credential.kind };
      return url === undefined ? garbled(words, "video", answer) : { ok: true, url, extras };
    }
    if (["failed", "error", "expired", "cancelled"].includes(status)) {
      const why = saidIn(answer.value) ?? "no reason given";
      const message = `direct reports ${status}: ${why}. Change the arguments, or try again`;
      return { ok: false, code: "api_error", message };
    }
    if (status !== "") this.#call.progress(`direct: ${status.slice(0, 40)}`);
    return undefined;
  }

  /** A login that is refused is renewed once. @throws NetError; E_AUTH the login came to its end */
  async #ask(method: "GET" | "POST", path: string, body?: Readonly<Record<string, unknown>>): Promise<Answer> {
    const answer = await this.#send(method, path, body);
    if (answer.status !== 401 || this.#renewed) return answer;
    this.#renewed = true;
    const next = await this.#around.credentials.renew(this.#credential, this.#call.signal);
    if (next === undefined) return answer;
    this.#credential = next;
    return this.#send(method, path, body);
  }

  #send(method: "GET" | "POST", path: string, body?: Readonly<Record<string, unknown>>): Promise<Answer> {
    const { baseUrl, bearer, tokenType = "Bearer" } = this.#credential;
    const headers = {
      authorization: `${tokenType} ${bearer}`,
      ...(body === undefined ? {} : { "content-type": "application/json", "x-idempotency-key": this.#call.key }),
    };
    const request = { method, url: `${baseUrl.replace(/\/+$/, "")}${path}`, headers };
    return ask(
      this.#around,
      body === undefined ? request : { ...request, body: JSON.stringify(body) },
      this.#call.signal,
    );
  }
}

function bodyOf(job: VideoJob): Record<string, unknown> {
  return {
    model: job.model.id,
    prompt: job.prompt,
    ...(job.seconds === undefined ? {} : { duration: job.seconds }),
    ...(job.aspectRatio === undefined ? {} : { aspect_ratio: job.aspectRatio }),
    ...(job.resolution === undefined ? {} : { resolution: job.resolution }),
    ...(job.imageUrl === undefined ? {} : { image: { url: job.imageUrl } }),
    ...(job.references.length === 0 ? {} : { reference_images: job.references.map((url) => ({ url })) }),
  };
}
