import { runInNewContext } from 'node:vm'

/** What gettext's tools write into a catalogue, for the families of languages; the first that agrees with `Intl` is taken. */
const families = [
  'nplurals=1; plural=0;',
  'nplurals=2; plural=(n != 1);',
  'nplurals=2; plural=(n > 1);',
  'nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);',
  'nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);',
  'nplurals=3; plural=(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2);',
  'nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);',
  'nplurals=3; plural=(n==1 ? 0 : n==0 || (n%100>0 && n%100<20) ? 1 : 2);',
  'nplurals=3; plural=(n==1 ? 0 : n==2 ? 1 : 2);',
  'nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);',
  'nplurals=5; plural=(n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4);',
  'nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);',
]

/** How a language counts: how many wordings a plural has, and which of them `Intl.PluralRules` means by each of its names. */
export type Plurals = { forms: number; indexOf: Record<string, number> }

/** No language's rule goes by more than the last two digits, but for millions, which take the last form. */
const samples = Array.from({ length: 400 }, (_, n) => n)

/** The plurals of a language by the header of its catalogue; a sentence where the two do not agree. */
export function pluralsOf(tag: string, header: string | undefined): Plurals | string {
  const [, count, formula] = /^\s*nplurals\s*=\s*(\d+)\s*;\s*plural\s*=\s*([^;]+)/.exec(header ?? '') ?? []
  if (count === undefined || formula === undefined || !/^[n\d\s%<>=!&|?:()+-]+$/.test(formula))
    return `the header "Plural-Forms" is missing or not understood`
  // Signs of arithmetic only, checked above: C and JavaScript mean the same by them.
  const formOf = runInNewContext(`(n) => Number(${formula})`) as (n: number) => number
  const rules = new Intl.PluralRules(tag)
  const forms = Number(count)
  const found = new Map<string, number>()
  for (const n of samples) {
    const [name, index] = [rules.select(n), formOf(n)]
    if (index >= forms) return `the header "Plural-Forms" has no form ${index}`
    if ((found.get(name) ?? index) !== index)
      return `the header "Plural-Forms" puts ${n} elsewhere than the rules of the language do`
    found.set(name, index)
  }
  const indexOf: Record<string, number> = { other: forms - 1, ...Object.fromEntries(found) }
  return { forms, indexOf }
}

/** The header of a new catalogue. */
export function headerFor(tag: string): string {
  const rules = new Intl.PluralRules(tag)
  const forms = new Set(samples.map((n) => rules.select(n))).size
  const known = families.find((family) => {
    const plurals = pluralsOf(tag, family)
    return typeof plurals !== 'string' && plurals.forms === forms
  })
  return known ?? families[1] ?? ''
}
