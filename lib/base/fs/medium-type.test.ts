import assert from "node:assert/strict";
import { test } from "node:test";
import { dataUri, mediumType } from "./medium-type.js";

const box = (brand: string) => Buffer.from(`\0\0\0\x20ftyp${brand}\0\0\0\0`, "latin1");

const CASES: readonly (readonly [what: string, bytes: Buffer, ending: string | undefined])[] = [
  ["PNG", Buffer.from("89504e470d0a1a0a0000000d", "hex"), "png"],
  ["JPEG", Buffer.from("ffd8ffe000104a46", "hex"), "jpg"],
  ["GIF", Buffer.from("GIF89a\x01\x00"), "gif"],
  ["WebP", Buffer.from("RIFF\x24\x00\x00\x00WEBPVP8 "), "webp"],
  ["MP4", box("isom"), "mp4"],
  ["QuickTime", box("qt  "), "mov"],
  ["M4A", box("M4A "), "m4a"],
  ["WebM", Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex"), "webm"],
  ["MP3 with a tag", Buffer.from("ID3\x03\x00\x00"), "mp3"],
  ["MP3 without a tag", Buffer.from("fffb9064", "hex"), "mp3"],
  ["WAV", Buffer.from("RIFF\x24\x00\x00\x00WAVEfmt "), "wav"],
  ["Ogg", Buffer.from("OggS\x00\x02"), "ogg"],
  ["FLAC", Buffer.from("fLaC\x00\x00\x00\x22"), "flac"],
  ["PDF", Buffer.from("%PDF-1.7"), undefined],
  ["HTML", Buffer.from("<!doctype html>"), undefined],
  ["an AVIF picture", box("avif"), undefined],
  ["Matroska that is not WebM", Buffer.from("1a45dfa39f42828 8matroska".replace(" ", ""), "latin1"), undefined],
  ["a file of 0xff", Buffer.alloc(64, 0xff), undefined],
  ["nothing", Buffer.alloc(0), undefined],
];

for (const [what, bytes, ending] of CASES) {
  test(`${what} is known by its first bytes`, () => {
    assert.equal(mediumType(bytes)?.ending, ending);
  });
}

test("a picture becomes a data URI without its surroundings", () => {
  const around = Buffer.from("xxabcxx");
  assert.equal(dataUri(around.subarray(2, 5), "image/png"), "data:image/png;base64,YWJj");
});
