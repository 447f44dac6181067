import type { Keys } from '../../platform/keys.ts'

const purpose = 'return-path'
const idDigits = 32

/** 64 bits, which nobody tries out by mail; in digits that survive where capitals are lost. */
const proofsOf = (keys: Keys, id: string) =>
  keys
    .signatures(purpose, id)
    .map((signature) => Buffer.from(signature, 'base64url').toString('hex').slice(0, 16))

/** Where the mail of one delivery comes back to (VERP): only this installation can write such an address. */
export function returnPathOf(keys: Keys, address: string, deliveryId: string): string {
  const [name, domain] = address.split('@')
  const digits = deliveryId.replaceAll('-', '')
  return `${name}+${digits}${proofsOf(keys, deliveryId)[0]}@${domain}`
}

const uuidOf = (digits: string) => digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

const escaped = (text: string) => text.replaceAll(/[^a-z0-9]/gi, String.raw`\$&`)

/** A forger could have many tried. */
const mostTried = 50

/** The delivery whose return path stands in a text, such as a mail that came back; undefined: none, or a forged one. */
export function deliveryIn(keys: Keys, address: string, text: string): string | undefined {
  const [name = '', domain = ''] = address.split('@')
  const pattern = new RegExp(`${escaped(name)}\\+([0-9a-f]{48})@${escaped(domain)}`, 'gi')
  for (const [, found = ''] of [...text.matchAll(pattern)].slice(0, mostTried)) {
    const digits = found.toLowerCase()
    const id = uuidOf(digits.slice(0, idDigits))
    if (proofsOf(keys, id).includes(digits.slice(idDigits))) return id
  }
  return undefined
}
