import { expect, test } from 'vitest'
import { readPdf } from '../testing/files.ts'
import { facesFor } from './faces.ts'
import { linesOf } from './pages/lines.ts'
import type { Paper } from './paper.ts'
import { pagesOf } from './pages/pages.ts'
import { lettersOf, printable } from './printable.ts'
import { isFromRight, runsOf } from './runs.ts'

const names = {
  Chinese: '王小明',
  'Chinese in Taiwan': '陳國龍',
  Japanese: '髙橋 さくら（𠮷野）',
  Korean: '김민수',
  Arabic: 'محمد سعيد',
  Persian: 'پژمان گلچین',
  Urdu: 'ٹیپو سلطان',
  Hebrew: 'דוד כהן',
  Devanagari: 'श्रीमती लक्ष्मी क्षत्रिय',
  Thai: 'น้ำฝน ศรีสุข',
  Georgian: 'გიორგი ბერიძე',
  Armenian: 'Արմեն Պետրոսյան',
} as const

const print = async (text: string) => printable(text, await facesFor({ name: [text] }))

test.each(Object.entries(names))('a name in %s is printed as it is written', async (_script, name) => {
  expect(await print(name)).toEqual({ text: name, isWhole: true })
})

test.each([
  ['Jürgen Łuczak', true, 'Jürgen Łuczak'],
  ['Zoe\u0308', true, 'Zoë'],
  ['Łukasz Иван Ґалина Ελένη Ἀθηνᾶ Nguyễn', true, 'Łukasz Иван Ґалина Ελένη Ἀθηνᾶ Nguyễn'],
  ['Ada (عائشة)', true, 'Ada (عائشة)'],
  ['right\u202Eto left', true, 'rightto left'],
  ['a -> b', true, 'a -> b'],
  ['🎬 Film 👩‍🚒', false, '[picture] Film [picture]'],
  ['Meyer\u2011Schmidt', true, 'Meyer-Schmidt'],
  ['Meyer\u2011Schmidt, محمد', true, 'Meyer-Schmidt, محمد'],
  ['ﬁre ﬂoor Ⅻ', true, 'fire floor XII'],
  ['Ａｄａ　ｶﾅ', true, 'Ａｄａ ｶﾅ'],
  ['𝐀𝐝𝐚', true, 'Ada'],
  ['邉\u{e0100}', true, '邉'],
  ['میر\u200cزا', true, 'میر\u200cزا'],
  ['বাংলা', false, '[another script]'],
])('%s', async (text, isWhole, shown) => {
  expect(await print(text)).toEqual({ text: shown, isWhole })
})

test('Han letters are those of the country whose they are', async () => {
  const fontOf = async (text: string, letter: string) =>
    /noto-sans-(..)/.exec((await facesFor(text)).of(letter)?.name ?? '')?.[1]
  expect(await fontOf('王小明, 北京示例科技有限公司, 消防安全培训', '京')).toBe('sc')
  expect(await fontOf('陳國龍, 臺灣範例股份有限公司', '國')).toBe('tc')
  expect(await fontOf('山田 太郎, さくら', '山')).toBe('jp')
  expect(await fontOf('辺見 桜, 沢田 浜', '桜')).toBe('jp')
  expect(await fontOf('김민수 (金敏洙)', '金')).toBe('kr')
  // What the letters of one country lack, another has.
  expect(await fontOf('王小明, 北京示例科技, 𠮷', '𠮷')).toBe('jp')
})

test.each([
  ['דוד כהן', ['כהן', ' ', 'דוד']],
  ['דוד ישראלי (Coen) 2026', ['2026', ' (', 'Coen', ') ', 'ישראלי', ' ', 'דוד']],
  ['for דוד ישראלי', ['for ', 'ישראלי', ' ', 'דוד']],
  ['עדה, viewing', ['עדה', ', viewing']],
  ['Ada (עדה) 2026', ['Ada (', 'עדה', ') ', '2026']],
  ['شركة ٢٠٢٦ ABC', ['ABC', ' ', '٢', '٠', '٢', '٦', ' ', 'شركة']],
  ['۱۲۳ پژمان', ['پژمان', ' ', '۱', '۲', '۳']],
])('%s is seen in its order', async (text, seen) => {
  const runs = runsOf(text, await facesFor(text), isFromRight(text))
  expect(runs.map((run) => run.text)).toEqual(seen)
})

test('a line breaks where its language breaks', () => {
  const broken = (text: string, width: number, lines = 9) =>
    linesOf(text, { width, lines, widthOf: (line) => lettersOf(line).length })
  expect(broken('Fire drill for all', 10)).toEqual(['Fire drill', 'for all'])
  expect(broken('การฝึกซ้อมดับเพลิง', 7)).toEqual(['การฝึก', 'ซ้อมดับ', 'เพลิง'])
  expect(broken('消防訓練（確認）、動画です。', 5)).toEqual(['消防訓練', '（確認）、', '動画です。'])
  expect(broken('Überlangerfamilienname', 12)).toEqual(['Überlangerfa', 'milienname'])
  expect(broken('กขฃคฅฆงจ', 4, 1)).toEqual(['กขฃ…'])
  expect(broken('one two three four', 8, 2)).toEqual(['one two', 'three f…'])
})

const bare = (text: string) => text.replaceAll(/\s/g, '')
const fromLeft = (text: string) => (isFromRight(text) ? lettersOf(text).toReversed().join('') : text)

test('pages carry names in every script, and no letter is missing in their fonts', async () => {
  const all = Object.values(names)
  const paper: Paper = {
    title: 'List',
    lead: '',
    owner: names.Hebrew,
    logo: null,
    facts: [{ label: 'Made by', value: `${names.Arabic}, viewing as Ada` }],
    figures: [],
    plot: null,
    notes: [],
    quality: null,
    meanings: [],
    table: {
      name: 'People',
      columns: [{ name: 'Name', as: 'text' }],
      rows: all.map((name) => [name]),
      cut: null,
    },
  }
  const { pages, source } = readPdf(await pagesOf(paper))
  const text = pages.map(bare).join('')
  for (const name of all) expect(text, name).toContain(bare(fromLeft(name)))
  expect(text).not.toMatch(/[?\0\ufffd]/)
  expect(source).not.toContain('Square brackets')
})
