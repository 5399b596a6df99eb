import { join } from "node:path";
import { makeDurableDirectory } from "../base/fs/files.js";
import { type MediumType, mediumType } from "../base/fs/medium-type.js";
import type { Home } from "../base/home.js";
import type { Ids } from "../base/ids.js";
import type { Clock } from "../base/time/clock.js";
import type { MediumKind } from "../contracts/media/media.js";

/** What names of files are made from. */
export interface PlaceDeps {
  readonly home: Pick<Home, "cache">;
  readonly clock: Pick<Clock, "now">;
  readonly ids: Pick<Ids, "hex">;
}

interface KindRule {
  readonly sort: MediumType["sort"];
  readonly maxBytes: number;
  /** What a file of it is called in a sentence. */
  readonly noun: string;
}

const IMAGE: KindRule = { sort: "image", maxBytes: 32 << 20, noun: "an image" };

/** Extensions part, 10.1. */
export const KIND_RULES: Readonly<Record<MediumKind, KindRule>> = {
  images: IMAGE,
  screenshots: IMAGE,
  audio: { sort: "audio", maxBytes: 64 << 20, noun: "audio" },
  videos: { sort: "video", maxBytes: 512 << 20, noun: "a video" },
};

/** What these bytes are, where their kind may be that; undefined: it may not. Sound in a container of videos is M4A. */
export function typeOfKind(kind: MediumKind, head: Uint8Array): MediumType | undefined {
  const type = mediumType(head);
  if (kind === "audio" && type?.ending === "mp4") return { ending: "m4a", mime: "audio/mp4", sort: "audio" };
  return type?.sort === KIND_RULES[kind].sort ? type : undefined;
}

export const wrongTypeText = (kind: MediumKind): string => `the file is not ${KIND_RULES[kind].noun} of a known type`;

export const tooLargeText = (kind: MediumKind): string => `the file exceeds ${KIND_RULES[kind].maxBytes >> 20} MiB`;

/** Folder of a kind, which is on the disk then. */
export async function mediumFolder({ home }: Pick<PlaceDeps, "home">, kind: MediumKind): Promise<string> {
  const folder = join(home.cache, kind);
  await makeDurableDirectory(folder, 0o700);
  return folder;
}

/** A new name: `<prefix>_<YYYYMMDD_HHMMSS>_<8 hex>.<ending>`. It never begins as those of inbound media do. */
export function mediumName({ clock, ids }: Omit<PlaceDeps, "home">, prefix: string, ending: string): string {
  const plain = prefix.toLowerCase().replace(/[^a-z0-9-]+/g, "-") || "file";
  const [day, time] = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").split("T");
  return `${plain}_${day}_${time}_${ids.hex(4)}.${ending}`;
}

const NAME = /^[a-z0-9-]+_\d{8}_\d{6}_[0-9a-f]{8}\.[a-z0-9]+$/;

/** A name that `mediumName` has made. */
export const isMediumName = (name: string): boolean => NAME.test(name);

/** Name of a download that is not complete. */
export const draftName = ({ ids }: Pick<PlaceDeps, "ids">): string => `.${ids.hex(6)}.part`;

/** A name that `draftName` has made. */
export const isDraftName = (name: string): boolean => /^\.[0-9a-f]{12}\.part$/.test(name);
