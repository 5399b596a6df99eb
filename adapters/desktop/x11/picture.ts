import { join } from "node:path";
import { readAtMost } from "../../../lib/base/fs/files.js";
import { pictureSize } from "../../../lib/base/fs/picture-facts.js";
import { makeTemporaryDirectory } from "../../../lib/base/fs/tree.js";
import { programOnPath } from "../../../lib/base/process/program-path.js";
import type { DesktopElement } from "../../../lib/contracts/desktop/driver.js";
import type { Picture } from "../driver-backend.js";
import { failureText, runProgram, type X11Parts } from "./programs.js";

export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const has = ({ env }: X11Parts, name: string): boolean => programOnPath(name, env["PATH"]) !== undefined;

/** Little compression: a picture of a large screen takes seconds otherwise. */
const QUICKLY = ["-silent", "-quality", "15"];

/** A picture of a window, or of a part of the screen as it is seen. */
export async function takePicture(
  parts: X11Parts,
  { window, frame }: { readonly window?: number | undefined; readonly frame: Frame },
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (!has(parts, "import")) return scrot(parts, frame, signal);
  if (window !== undefined) {
    const whole = await runProgram(parts, ["import", ...QUICKLY, "-window", String(window), "png:-"], signal);
    const size = whole.code === 0 ? pictureSize(whole.out) : undefined;
    if (size?.width === frame.width && size.height === frame.height) return whole.out;
  }
  // A window that reaches beyond the screen is taken as the screen shows it.
  const crop = `${frame.width}x${frame.height}+${frame.x}+${frame.y}`;
  const ran = await runProgram(
    parts,
    ["import", ...QUICKLY, "-window", "root", "-crop", crop, "+repage", "png:-"],
    signal,
  );
  if (ran.code !== 0 || ran.out.length === 0) throw new Error(failureText(parts, ran.err));
  return ran.out;
}

const PICTURE_BYTES = 128 << 20;

/** scrot writes files only. */
async function scrot(parts: X11Parts, { x, y, width, height }: Frame, signal: AbortSignal): Promise<Uint8Array> {
  const folder = await makeTemporaryDirectory("agent-desktop");
  try {
    const path = join(folder.path, "screen.png");
    const ran = await runProgram(parts, ["scrot", "--silent", "-a", `${x},${y},${width},${height}`, path], signal);
    const bytes = ran.code === 0 ? await readAtMost(path, PICTURE_BYTES) : undefined;
    if (bytes === undefined) throw new Error(failureText(parts, ran.err));
    return bytes;
  } finally {
    await folder.remove();
  }
}

/** Beyond this many bytes a PNG becomes a JPEG: models take at most 3 MiB. */
const PNG_BYTES = 2_500_000;

/** Number the elements and make the picture smaller, where ImageMagick is there. Without it the picture stays as it is. */
export async function finishPicture(
  parts: X11Parts,
  taken: Uint8Array,
  { draw, maxSide }: { readonly draw: readonly string[]; readonly maxSide?: number | undefined },
  signal: AbortSignal,
): Promise<Picture> {
  const plain: Picture = { bytes: taken, mimeType: "image/png" };
  const size = pictureSize(taken);
  const program = ["magick", "convert"].find((name) => has(parts, name));
  const large = maxSide !== undefined && size !== undefined && Math.max(size.width, size.height) > maxSide;
  if (program === undefined || (draw.length === 0 && !large && taken.length <= PNG_BYTES)) return plain;
  const resize = large ? ["-resize", `${maxSide}x${maxSide}>`] : [];
  const convert = async (to: readonly string[]): Promise<Uint8Array | undefined> => {
    const ran = await runProgram(parts, [program, "png:-", ...draw, ...resize, ...to], signal, { input: taken });
    return ran.code === 0 && pictureSize(ran.out) !== undefined ? ran.out : undefined;
  };
  const png = await convert(["png:-"]);
  if (png === undefined) return plain;
  if (png.length <= PNG_BYTES) return { bytes: png, mimeType: "image/png" };
  const jpeg = await convert(["-quality", "85", "jpeg:-"]);
  return jpeg === undefined ? { bytes: png, mimeType: "image/png" } : { bytes: jpeg, mimeType: "image/jpeg" };
}

/** What an element needs to be seen in a picture of this frame; undefined: nothing of it is. */
export function clip(element: DesktopElement, frame: Frame): DesktopElement | undefined {
  const x = Math.max(0, element.x - frame.x);
  const y = Math.max(0, element.y - frame.y);
  const right = Math.min(frame.width, element.x + element.width - frame.x);
  const bottom = Math.min(frame.height, element.y + element.height - frame.y);
  return right <= x || bottom <= y ? undefined : { ...element, x, y, width: right - x, height: bottom - y };
}
