import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { cut } from '#contract/platform/text/text.ts'
import { keyPrefix } from '../platform/http/keys.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 190 random bits. */
const randomLength = 32
const checksumLength = 6

/** A number in base 62, filled up with zeros. */
function base62(number: number): string {
  let text = ''
  for (let rest = number; text.length < checksumLength; rest = Math.floor(rest / alphabet.length))
    text = `${alphabet[rest % alphabet.length]}${text}`
  return text
}

/**
 * A new token: `srk_`, 32 random letters and digits, and the CRC-32 of these 32 in base 62. By the checksum whoever looks for leaked
 * secrets tells a token from what only looks like one, without asking this server.
 */
export function newToken(): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return `${keyPrefix}${random}${base62(crc32(random))}`
}

/** So much of a token is kept as it is: enough for its owner to tell it from another. */
export const startOf = (token: string): string => cut(token, keyPrefix.length + 4)
