import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decode, readBytes, type Encoding } from './encodings.ts'

const bytesOf = (name: string) => new Uint8Array(readFileSync(new URL(`cases/${name}.csv`, import.meta.url)))
const readings = (bytes: Uint8Array) => {
  const read = readBytes(bytes)
  return 'readings' in read ? read.readings : []
}

const text = 'Name;Größe\r\nÅsa;€ 5\r\n'

function utf16(value: string, isLittle: boolean): Uint8Array {
  const bytes = new Uint8Array(value.length * 2)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < value.length; at += 1) view.setUint16(at * 2, value.charCodeAt(at), isLittle)
  return bytes
}

test.each([
  ['UTF-8', new TextEncoder().encode(text)],
  ['UTF-8 with a mark', new TextEncoder().encode(`\uFEFF${text}`)],
  ['UTF-16 LE with a mark', utf16(`\uFEFF${text}`, true)],
  ['UTF-16 BE with a mark', utf16(`\uFEFF${text}`, false)],
  ['UTF-16 LE', utf16(text, true)],
  ['UTF-16 BE', utf16(text, false)],
])('knows %s', (_what, bytes) => {
  expect(readBytes(bytes)).toEqual({ text })
})

test('knows UTF-16 of a script without Latin letters by what divides the cells', () => {
  const list = '姓名,邮箱\r\n李伟,一\r\n王芳,二\r\n'
  expect(readBytes(utf16(list, true))).toEqual({ text: list })
  expect(readBytes(utf16(list, false))).toEqual({ text: list })
})

test('knows Japanese of mails by its escapes', () => {
  const bytes = Uint8Array.from([
    ...new TextEncoder().encode('Name\n'),
    0x1b,
    0x24,
    0x42,
    0x3b,
    0x33,
    0x1b,
    0x28,
    0x42,
  ])
  expect(readBytes(bytes)).toEqual({ text: 'Name\n山' })
})

test('a picture or a program is no text', () => {
  const bytes = Uint8Array.from({ length: 20_000 }, (_, at) => (at * 7_919 + (at >> 3) * 104_729) & 0xff)
  expect(readBytes(bytes)).toEqual({ readings: [] })
})

test('an empty file is empty', () => {
  expect(readBytes(new Uint8Array())).toEqual({ text: '' })
})

test.each([
  ['utf-16', 'Иван'],
  ['utf-16le', 'Łukasz'],
])('%s says itself what it is', (name, word) => {
  const read = readBytes(bytesOf(name))
  expect('text' in read && read.text).toContain(word)
})

const practice: [string, Encoding, readonly string[]][] = [
  ['windows-1250', 'windows-1250', ['Łukasz Wójcik', 'Štěpán Dvořák']],
  ['windows-1251', 'windows-1251', ['Иван Петров']],
  ['windows-1252', 'windows-1252', ['Jürgen Groß']],
  ['windows-1253', 'windows-1253', ['Νίκος']],
  ['windows-1254', 'windows-1254', ['Şule Işık']],
  ['macintosh', 'macintosh', ['Jürgen Groß']],
  ['shift_jis', 'shift_jis', ['山田 太郎']],
  ['gb18030', 'gb18030', ['李小龙']],
  ['cp850', 'cp850', ['Jürgen']],
]

test.each(practice)('%s is asked for, with its names beside the choice', (name, encoding, words) => {
  const bytes = bytesOf(name)
  const found = readings(bytes)
  expect(found.length).toBeGreaterThan(1)
  const right = found.find((one) => words.every((word) => one.sample.join('\n').includes(word)))
  expect(right).toBeDefined()
  for (const word of words) expect(decode(bytes, right?.encoding ?? 'utf-8')).toContain(word)
  expect(found.indexOf(right ?? found[0]!)).toBeLessThan(6)
  expect(decode(bytes, encoding)).toBe(decode(bytes, right?.encoding ?? 'utf-8'))
})

test('ways to read it that give one text are one choice', () => {
  const samples = readings(bytesOf('windows-1252')).map(({ sample }) => sample.join('\n'))
  expect(new Set(samples).size).toBe(samples.length)
})

test('a letter that is torn in a file of UTF-8 does not make it another encoding in silence', () => {
  const whole = new TextEncoder().encode('Name\nJürgen\nGroß\nŁukasz\nÅsa\nÉva\n')
  const torn = whole.filter((_byte, at) => at !== 7)
  expect(readings(torn)[0]).toMatchObject({ encoding: 'utf-8' })
})
