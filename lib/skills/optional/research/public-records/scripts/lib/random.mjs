/**
 * Numbers from 0 to below 1 that depend on the seed alone (mulberry32).
 *
 * @param {number} seed
 * @param {string} key another row of numbers for each key
 * @returns {() => number}
 */
export function createRandom(seed, key) {
  let state = hash(`${seed}\n${key}`);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * FNV-1a, 32 bits.
 *
 * @param {string} text
 */
function hash(text) {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value;
}
