/**
 * A number of 32 bits by which the sign-in page knows, without asking, that nobody claims a domain: FNV-1a over its letters. One that
 * happens to have the number of a claimed domain costs a question to the server, which knows better.
 */
export function domainFingerprint(domain: string): number {
  let hash = 0x81_1c_9d_c5
  for (const letter of domain) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01_00_01_93)
  return hash >>> 0
}
