import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { knownBytes } from '#contract/videos.ts'

/** SHA-256 in hex of the beginning and of the end of the first `offset` bytes of a file. The browser's own works with HTTPS only. */
export async function endsOf(file: Blob, offset: number): Promise<{ head: string; tail: string }> {
  const hashOf = async (part: Blob) => bytesToHex(sha256(new Uint8Array(await part.arrayBuffer())))
  const length = Math.min(offset, knownBytes)
  return {
    head: await hashOf(file.slice(0, length)),
    tail: await hashOf(file.slice(offset - length, offset)),
  }
}
