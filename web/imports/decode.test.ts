import { expect, test } from 'vitest'
import { decodeText } from './decode.ts'

const text = 'Name;Größe\r\nÅsa;€ 5\r\n'

function utf16(value: string, isLittle: boolean): Uint8Array {
  const bytes = new Uint8Array(value.length * 2)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < value.length; at += 1) view.setUint16(at * 2, value.charCodeAt(at), isLittle)
  return bytes
}

const windows1252 = new Uint8Array([
  ...Array.from('Name;Gr', (letter) => letter.charCodeAt(0)),
  0xf6,
  0xdf,
  ...Array.from('e\r\n', (letter) => letter.charCodeAt(0)),
  0xc5,
  ...Array.from('sa;', (letter) => letter.charCodeAt(0)),
  0x80,
  ...Array.from(' 5\r\n', (letter) => letter.charCodeAt(0)),
])

test.each([
  ['UTF-8', new TextEncoder().encode(text)],
  ['UTF-8 with a mark', new TextEncoder().encode(`\uFEFF${text}`)],
  ['UTF-16 LE with a mark', utf16(`\uFEFF${text}`, true)],
  ['UTF-16 BE with a mark', utf16(`\uFEFF${text}`, false)],
  ['UTF-16 LE', utf16(text, true)],
  ['UTF-16 BE', utf16(text, false)],
  ['Windows-1252', windows1252],
])('reads %s', (_what, bytes) => {
  expect(decodeText(bytes)).toBe(text)
})

test('an empty file is empty', () => {
  expect(decodeText(new Uint8Array())).toBe('')
})
