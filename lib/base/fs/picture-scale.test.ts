import assert from "node:assert/strict";
import { test } from "node:test";
import { animatedGif, decodedFacts, noisyPng, plainPng, turnedPhoto } from "../../../fixtures/sim/made-pictures.js";
import { holdsMore, mimeOf } from "./picture-facts.js";
import { type LoadSharp, pictureForModels, type ScaledPicture, scalePicture } from "./picture-scale.js";

const absent: LoadSharp = () => Promise.reject(new Error("Cannot find package 'sharp' imported from here"));

const bytesOf = (scaled: ScaledPicture): Buffer => ("why" in scaled ? assert.fail(scaled.why) : scaled.bytes);
const whyOf = (scaled: ScaledPicture): string => ("why" in scaled ? scaled.why : assert.fail("it was scaled"));

test("a picture that fits and holds nothing beside its pixels stays as it is", async () => {
  const small = await plainPng({ width: 40, height: 30 });
  assert.equal(bytesOf(await pictureForModels(small, absent)), small);
});

test("a picture that is too wide is scaled in its proportions and stays a PNG", async () => {
  const scaled = bytesOf(await pictureForModels(await plainPng({ width: 9_000, height: 90 })));
  const { width, height, colour } = await decodedFacts(scaled);
  assert.deepEqual([mimeOf(scaled), width, height, colour], ["image/png", 7_900, 79, [0x33, 0x66, 0x99]]);
});

test("a picture with too many bytes fits after scaling, with transparency as WebP, without as JPEG", async () => {
  const bounds = { maxSide: 500, maxBytes: 20_000 };
  for (const [channels, mime] of [
    [3, "image/jpeg"],
    [4, "image/webp"],
  ] as const) {
    const scaled = bytesOf(await scalePicture(await noisyPng({ width: 400, height: 200 }, channels), bounds));
    const { width, height } = await decodedFacts(scaled);
    assert.equal(mimeOf(scaled), mime);
    assert.ok(scaled.length <= 20_000 && width < 400, `${scaled.length} bytes, ${width} pixels wide`);
    assert.equal(Math.round(width / height), 2);
  }
});

test("a photo of a turned camera is upright, and no longer says where it was taken", async () => {
  const photo = await turnedPhoto({ width: 60, height: 20 });
  assert.equal(holdsMore(photo), true);
  const { width, height, notes } = await decodedFacts(bytesOf(await pictureForModels(photo)));
  assert.deepEqual([width, height, notes], [20, 60, false]);
});

test("of an animation the first frame is shown", async () => {
  const scaled = bytesOf(await pictureForModels(await animatedGif({ width: 32, height: 32 })));
  const { pages, colour } = await decodedFacts(scaled);
  assert.deepEqual([mimeOf(scaled), pages], ["image/png", 1]);
  assert.deepEqual(colour, [255, 0, 0]);
});

/** The head of a PNG that claims to be this large. */
function claims(width: number, height: number): Buffer {
  const head = Buffer.alloc(33);
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(head);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

test("a small file that claims to have billions of pixels is refused before it is decoded", async () => {
  assert.match(whyOf(await pictureForModels(claims(60_000, 60_000), absent)), /more than 128 million pixels/);
});

test("a drawing is not rendered, and a file with a wrong ending is what its first bytes say", async () => {
  const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="9000"/>');
  assert.match(whyOf(await pictureForModels(drawing, absent)), /only PNG, JPEG, GIF and WebP/);
  assert.match(
    whyOf(await scalePicture(drawing, { maxSide: 10, maxBytes: 10 }, absent)),
    /only PNG, JPEG, GIF and WebP/,
  );
});

test("what cannot be decoded says so, and stays as it is where it fits", async () => {
  assert.match(whyOf(await pictureForModels(claims(9_000, 10))), /cannot be decoded \(.+\); save it again/);
  const photo = Buffer.concat([Buffer.from("ffd8ffe10004", "hex"), Buffer.from("no picture")]);
  assert.equal(bytesOf(await pictureForModels(photo)), photo);
});

test("without the package a picture that fits is shown as it is, and one that does not says what to install", async () => {
  const photo = await turnedPhoto({ width: 60, height: 20 });
  assert.equal(bytesOf(await pictureForModels(photo, absent)), photo);
  assert.match(whyOf(await pictureForModels(claims(9_000, 10), absent)), /run npm install sharp@\d/);
});
