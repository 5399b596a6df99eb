import type { ImageBackend, VideoBackend } from "../../lib/contracts/media/backends.js";
import { queueImage } from "./image/queue.js";
import { directVideo } from "./video/direct.js";
import { queueVideo } from "./video/queue.js";

/** Backends that ship, in the order in which messages name them. */
export const VIDEO_BACKENDS: readonly VideoBackend[] = [directVideo, queueVideo];
export const IMAGE_BACKENDS: readonly ImageBackend[] = [queueImage];
