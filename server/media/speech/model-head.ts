/** As many bytes of a model as say what it is. */
export const headBytes = 48

const magic = 0x67_67_6d_6c
/** One word less than models for all languages have. */
const wordsOfEnglish = 51_864

type ModelHead = { isEnglishOnly: boolean }

/** What a model in the format of whisper.cpp says of itself; undefined where it is something else. */
export function readModelHead(bytes: Buffer): ModelHead | undefined {
  if (bytes.length < headBytes || bytes.readUInt32LE(0) !== magic) return undefined
  return { isEnglishOnly: bytes.readInt32LE(4) === wordsOfEnglish }
}
