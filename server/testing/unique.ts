import { randomBytes } from 'node:crypto'

const signs = 'hjkqvwxz'

/** What nobody else is called, and what spells no word and no number: who searches for `ada` or `42` never finds it by chance. */
export function unique(): string {
  return Array.from(randomBytes(12), (byte) => signs[byte % signs.length]).join('')
}
