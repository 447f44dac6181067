import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../platform/errors.ts'
import { otherAnswers } from './typed-answers.ts'
import { choices, question } from '../testing/quizzes/quizzes.ts'
import { grade } from './grade.ts'
import { shuffled } from './order.ts'
import { figuresOf } from './item-figures.ts'

function worth(asked: Parameters<typeof question>[0], answer: (ids: string[]) => string[] | string) {
  const one = question({ points: 4, ...asked })
  return grade(one, answer(one.options.map(({ id }) => id)))
}

function refusalOf(work: () => unknown) {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal) return error.fault.fields
  }
  return undefined
}

describe('an answer', () => {
  it('to one choice is right or wrong', () => {
    const options = choices('A', '*B', 'C')
    expect(worth({ options }, ([, b = '']) => [b])).toEqual({ correct: true, score: 4 })
    expect(worth({ options }, ([a = '']) => [a])).toEqual({ correct: false, score: 0 })
  })

  it('to several choices earns its share, and wrong ones take theirs away', () => {
    const options = choices('*A', '*B', 'C', 'D')
    const at = (...chosen: number[]) =>
      worth({ kind: 'multiple', options }, (ids) => chosen.map((n) => ids[n] ?? ''))
    expect(at(0, 1)).toEqual({ correct: true, score: 4 })
    expect(at(1, 0)).toEqual({ correct: true, score: 4 })
    expect(at(0)).toEqual({ correct: false, score: 2 })
    expect(at(0, 1, 2)).toEqual({ correct: false, score: 2 })
    expect(at(0, 2)).toEqual({ correct: false, score: 0 })
    expect(at(2, 3)).toEqual({ correct: false, score: 0 })
    expect(at(0, 1, 2, 3)).toEqual({ correct: false, score: 0 })
  })

  it.each([
    ['12.5', true],
    [' 12,5 ', true],
    ['12.6', true],
    ['12.4', true],
    ['12.61', false],
    ['-12.5', false],
    ['+12.5', true],
    ['12.50000', true],
    ['12', false],
  ])('that is the number %s lies within the tolerance: %s', (typed, correct) => {
    const asked = { kind: 'number', number: { value: 12.5, tolerance: 0.1 } } as const
    expect(worth(asked, () => typed).correct).toBe(correct)
  })

  it('may be off by what binary fractions cannot write', () => {
    const asked = { kind: 'number', number: { value: 0.2, tolerance: 0.1 } } as const
    expect(worth(asked, () => '0.3').correct).toBe(true)
    expect(worth({ kind: 'number', number: { value: -3, tolerance: 0 } }, () => '−3').correct).toBe(true)
  })

  it.each([
    ['  zurich ', true],
    ['ZÜRICH', true],
    ['Zu\u0308rich', true],
    ['zurich  city', false],
    ['new   york', true],
    ['Bern', false],
  ])('that is the text "%s" fits whatever its case, accents and spaces: %s', (typed, correct) => {
    expect(worth({ kind: 'text', texts: ['Zürich', '', 'New York'] }, () => typed).correct).toBe(correct)
  })

  it('that is none is refused, and says why', () => {
    const text = { kind: 'text' as const, texts: ['a'] }
    const number = { kind: 'number', number: { value: 1, tolerance: 0 } } as const
    const foreign = choices('x')[0]?.id ?? ''
    const refused = [
      () => worth({}, () => []),
      () => worth({ kind: 'multiple' }, () => []),
      () => worth(text, () => '  '),
      () => worth(text, () => '\u0301'),
      () => worth(number, () => ''),
      () => worth({}, (ids) => ids),
      () => worth({}, () => 'Yes'),
      () => worth({}, () => [foreign]),
      () => worth({ kind: 'multiple' }, ([a = '']) => [a, a]),
      () => worth(text, () => [foreign]),
      () => worth(number, () => [foreign]),
      () => worth(number, () => 'one'),
      () => worth(number, () => '1e3'),
      () => worth(number, () => 'Infinity'),
      () => worth(number, () => '0x10'),
    ].map((work) => refusalOf(work)?.['answer']?.[0])
    expect(refused).toEqual([
      ...Array.from({ length: 5 }, () => 'required'),
      ...Array.from({ length: 6 }, () => 'invalid'),
      ...Array.from({ length: 4 }, () => 'invalid_number'),
    ])
  })
})

type Meant = {
  text: { wanted: string; given: string; expected: boolean }[]
  number: { wanted: number; given: string; expected: true | string }[]
}

describe('what was meant', () => {
  const given = JSON.parse(
    readFileSync(path.join(import.meta.dirname, 'answers-from-practice.json'), 'utf8'),
  ) as Meant

  it.each(given.text)('counts: $wanted, typed as $given', ({ wanted, given: typed, expected }) => {
    expect(worth({ kind: 'text', texts: [wanted] }, () => typed).correct).toBe(expected)
    expect(worth({ kind: 'text', texts: [typed] }, () => wanted).correct).toBe(expected)
  })

  it.each(given.number)('counts: $wanted, typed as $given', ({ wanted, given: typed, expected }) => {
    const asked = { kind: 'number', number: { value: wanted, tolerance: 0 } } as const
    const answered = () => worth(asked, () => typed).correct
    const found = refusalOf(answered) ?? answered()
    expect(found).toEqual(expected === true ? true : { answer: ['ambiguous_number'] })
  })

  it.each([
    ['Istanbul', 'İSTANBUL', true],
    ['Çıkış', 'cikis', true],
    ['Łódź', 'lodz', true],
    ['smørrebrød', 'SMORREBROD', true],
    ['Œuvre', 'oeuvre', true],
    ['Ὀδυσσεύς', 'ΟΔΥΣΣΕΥΣ', true],
    ['ёлка', 'елка', true],
    ['мой', 'мои', false],
    ['їжак', 'іжак', false],
    ['مَخرَج', 'مخرج', true],
    ['שָׁלוֹם', 'שלום', true],
    ['が', 'か', false],
    ['कि', 'की', false],
    ['ｅｘｉｔ', 'exit', true],
    ['5 metres', '５ metres', true],
    ['“Stop”', '"stop"', true],
    ['rock ’n’ roll', "rock 'n´ roll", true],
    ['co\u00adoperate', 'cooperate', true],
    ['ﬁre', 'fire', true],
    ['re-enter', 're–enter', true],
    ['re-enter', 'reenter', false],
    ['❤\uFE0F', '❤', true],
  ])('of %s is said by %s: %s', (wanted, typed, correct) => {
    expect(worth({ kind: 'text', texts: [wanted] }, () => typed).correct).toBe(correct)
  })

  it.each([
    ['1 250', 1250],
    ['1\u202F250', 1250],
    ["1'250", 1250],
    ['1’250,5', 1250.5],
    ['1.250,5', 1250.5],
    ['1,250.5', 1250.5],
    ['1.250.000', 1_250_000],
    ['1,250,000', 1_250_000],
    ['1,250,000.25', 1_250_000.25],
    ['0.125', 0.125],
    ['0,125', 0.125],
    [',125', 0.125],
    ['1250.125', 1250.125],
    ['1,2500', 1.25],
    ['12.', 12],
    ['١٢٥٠', 1250],
    ['١٢٫٥', 12.5],
    ['१२५०', 1250],
    ['－５', -5],
    ['‑5', -5],
    ['\u200E-5', -5],
  ])('by the number %s is %d', (typed, value) => {
    const asked = { kind: 'number', number: { value, tolerance: 0 } } as const
    expect(worth(asked, () => typed).correct).toBe(true)
  })

  it.each(['1,250', '1.250', '-12.500', '+999,999'])('by the number %s is asked again', (typed) => {
    const asked = { kind: 'number', number: { value: 1, tolerance: 0 } } as const
    expect(refusalOf(() => worth(asked, () => typed))).toEqual({ answer: ['ambiguous_number'] })
  })

  it.each(['1,25,000', '1.250,000.5', '12 50', '0.125,5', '1..5', '--5', '5-', '1.2.3'])(
    'by %s is no number',
    (typed) => {
      const asked = { kind: 'number', number: { value: 1, tolerance: 0 } } as const
      expect(refusalOf(() => worth(asked, () => typed))).toEqual({ answer: ['invalid_number'] })
    },
  )
})

describe('the order', () => {
  it('is the same for the same seed, and another for another', () => {
    const list = Array.from({ length: 12 }, (_, n) => n)
    expect(shuffled(list, 7)).toEqual(shuffled(list, 7))
    expect(shuffled(list, 7)).not.toEqual(shuffled(list, 8))
    expect(shuffled(list, 7).toSorted((a, b) => a - b)).toEqual(list)
  })

  it('gives every place to everything equally often', () => {
    const firsts = Array.from({ length: 6_000 }, (_, seed) => shuffled(['a', 'b', 'c'], seed)[0])
    for (const one of ['a', 'b', 'c'])
      expect(Math.abs(firsts.filter((first) => first === one).length - 2_000)).toBeLessThan(150)
  })
})

describe('the figures of a question', () => {
  const given = { itemId: randomUUID(), kind: 'text' as const, x: 0, t: 1, n: 1 }

  it('count people, scores and choices', () => {
    const choice = { ...given, kind: 'multiple' as const }
    const two = [
      { ...choice, answer: ['a', 'b'], x: 1, t: 3 },
      { ...choice, answer: ['b'], x: 0.5, t: 2 },
    ]
    expect(figuresOf([...two, { ...choice, answer: null, x: 0, t: 2, n: 3 }])).toEqual({
      n: 5,
      options: { a: 1, b: 2 },
      marks: [
        [1, 3, 1],
        [0.5, 2, 1],
        [0, 2, 3],
      ],
    })
  })

  it('stay small, whatever is typed, and keep what is typed most', () => {
    const typed = Array.from({ length: 500 }, (_, n) => ({
      ...given,
      answer: `Answer ${n}`,
      n: n === 499 ? 2 : 1,
    }))
    const { options } = figuresOf(typed)
    expect(Object.keys(options)).toHaveLength(201)
    expect([options[otherAnswers], options['answer 499']]).toEqual([300, 2])
    expect(JSON.stringify(figuresOf([{ ...given, answer: '__proto__' }]).options)).toBe('{"__proto__":1}')
  })
})
