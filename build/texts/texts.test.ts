import { runInNewContext } from 'node:vm'
import { createElement, Fragment, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { transformWithOxc } from 'vite'
import { beforeAll, expect, test } from 'vitest'
import { plural } from '#contract/platform/text/format.ts'
import { languageOf, messages, templateOf, updated } from './catalogue.ts'
import { textsIn } from './find.ts'
import { directionOf, pageIn, textsOfPage } from './html.ts'
import { translatedSource } from './plugin.ts'
import { headerFor, pluralsOf } from './plurals.ts'
import { readPo, writePo, type PoEntry } from './po.ts'

/** Every message of the web app; reading all its sources takes seconds. */
let all: PoEntry[]
beforeAll(() => {
  all = messages()
}, 180_000)

const polish = 'nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);'

/** Texts of a piece of source, as a translator sees them. */
const texts = (code: string) =>
  textsIn(code, 'x.tsx').map(({ one, many }) => (many ? [one.text, many.text] : one.text))

/** A catalogue of these translations, by their English; those with plurals by the form for many. */
function polishOf(code: string, translations: Record<string, string[]>) {
  const entries = textsIn(code, 'x.tsx').map(({ one, many, context }): PoEntry => ({
    id: one.text,
    many: many?.text,
    context,
    texts: translations[many?.text ?? one.text] ?? [],
    notes: [],
    remarks: [],
    places: [],
    isFuzzy: false,
  }))
  return languageOf('pl', { head: { 'Plural-Forms': polish }, remarks: [], entries })
}

/** What `shown` of a source returns, built with these translations. */
async function built<T>(code: string, translations: Record<string, string[]>): Promise<T> {
  const source = translatedSource(code, 'x.tsx', polishOf(code, translations))
  const jsx = { runtime: 'classic', pragma: 'h', pragmaFrag: 'F' } as const
  const { code: script } = await transformWithOxc(source, 'x.tsx', { jsx, target: 'es2023' })
  const imports = { h: createElement, F: Fragment, plural }
  return runInNewContext(`${script.replaceAll('export ', '')}\nshown`, imports) as T
}

test('a sentence with tags and values in it is one message, with names for what it does not say', () => {
  expect(
    texts(
      'const x = <p>Sent by <b>{sender.name}</b> to {formatNumber(total)} of <Link to="/a">{group.name}</Link></p>',
    ),
  ).toEqual(['Sent by <0>{sender}</0> to {total} of <1>{group}</1>'])
  expect(texts('const x = `${user.name} was added to ${group.name}.`')).toEqual([
    '{user} was added to {group}.',
  ])
})

test('pictures and elements at the edges are no part of a sentence', () => {
  expect(texts('const x = <p><IconClock /> Waiting {isLong && <Badge />}</p>')).toEqual(['Waiting'])
})

test('what machines read is no text', () => {
  const code = `
    import x from 'some file'
    type Kind = 'Only a type'
    const a = <a className="ui-link is-wide" href="/a b" data-name="Some name">{' '}</a>
    if (event.key === 'Enter') document.querySelector('main h1')
    const media = matchMedia('(hover: hover)'), path = \`/people/\${id}\`, key = \`user:\${id}\`
  `
  expect(texts(code)).toEqual([])
})

test('short words are texts where they are shown, and where a comment says so', () => {
  expect(texts(`const x = { label: 'none', sort: 'name' }`)).toEqual(['none'])
  expect(texts(`const x = <b>{isOn ? 'on' : 'off'}</b>`)).toEqual(['on', 'off'])
  expect(texts(`const x = /* text */ 'KB'`)).toEqual(['KB'])
  expect(texts(`const x = /* no text */ 'Name of a column'`)).toEqual([])
  const [found] = textsIn(`const x = /* text: the verb */ 'Open'`, 'x.ts')
  expect(found?.context).toBe('the verb')
})

test('a number and the words that depend on it are one plural', () => {
  expect(texts(`const x = \`\${plural(n, 'row')} of the list \${n === 1 ? 'stays' : 'stay'} out\``)).toEqual([
    ['{n} row of the list stays out', '{n} rows of the list stay out'],
  ])
  expect(texts(`const x = <p><b>{plural(rows.length, 'person', 'people')}</b> will be removed.</p>`)).toEqual(
    [['<0>{rows} person</0> will be removed.', '<0>{rows} people</0> will be removed.']],
  )
  // Two numbers: each has its own wording, and the sentence a place for it.
  expect(texts("const x = `${plural(a, 'group')} in ${plural(b, 'video')}`")).toEqual([
    '{a} in {b}',
    ['{a} group', '{a} groups'],
    ['{b} video', '{b} videos'],
  ])
})

test('words that depend on something else make whole sentences, one for each', async () => {
  const code = "const shown = (label, isNew) => `${label} was ${isNew ? 'added' : 'saved'}.`"
  expect(texts(code)).toEqual(['{label} was added.', '{label} was saved.'])
  const shown = await built<(label: string, isNew: boolean) => string>(code, {
    '{label} was added.': ['Dodano {label}.'],
  })
  expect([shown('A', true), shown('A', false)]).toEqual(['Dodano A.', 'A was saved.'])
  expect(texts("const x = <p>Sealed{at && ` up to ${at}`}. {isLong && 'It took long.'}</p>")).toEqual([
    'Sealed up to {at}. {0}',
    'Sealed. {0}',
    'It took long.',
  ])
})

test('a translation puts tags and values in its own order', async () => {
  const code = `const shown = (who, n) => <p title="Hint">Sent by <b>{who}</b> to {n} people</p>`
  const shown = await built<(who: string, n: number) => ReactElement>(code, {
    'Sent by <0>{who}</0> to {n} people': ['{n} osób, "<0>od {who}</0>" & reszta'],
    Hint: ['Wskazówka'],
  })
  expect(renderToStaticMarkup(shown('Ada', 7))).toBe(
    '<p title="Wskazówka">7 osób, &quot;<b>od Ada</b>&quot; &amp; reszta</p>',
  )
})

test('a plural takes the form of its language, and writes its number as the language does', async () => {
  const code = `const shown = (n) => \`Removed \${plural(n, 'person', 'people')}.\``
  const shown = await built<(n: number) => string>(code, {
    'Removed {n} people.': ['Usunięto {n} osobę.', 'Usunięto {n} osoby.', 'Usunięto {n} osób.'],
  })
  expect([1, 2, 5, 22, 12_345].map(shown)).toEqual([
    'Usunięto 1 osobę.',
    'Usunięto 2 osoby.',
    'Usunięto 5 osób.',
    'Usunięto 22 osoby.',
    `Usunięto ${(12_345).toLocaleString('pl')} osób.`,
  ])
})

test('what is not translated stays English, also within what is', async () => {
  const code = `const shown = (who) => <p>Saved by {who ?? 'nobody'} today <i title="Good">{plural(1, 'row')}</i></p>`
  const wording = '<1>{2}</1> przez {0}'
  const sentence = 'Saved by {0} today <1>{2} rows</1>'
  const half = await built<(who: string | null) => ReactElement>(code, {
    [sentence]: [wording, wording, wording],
  })
  expect(renderToStaticMarkup(half(null))).toBe('<p><i title="Good">1</i> przez nobody</p>')
  const other = await built<(who: string | null) => ReactElement>(code, { nobody: ['nikt'] })
  expect(renderToStaticMarkup(other(null))).toBe('<p>Saved by nikt today <i title="Good">1 row</i></p>')
  const english = await built<(who: string | null) => ReactElement>(code, {})
  expect(renderToStaticMarkup(english('Ada'))).toBe('<p>Saved by Ada today <i title="Good">1 row</i></p>')
})

test('a translation whose placeholders do not match is refused', () => {
  const code = 'const x = <p>Hello <b>{name}</b>, {count} times</p>'
  const faultOf = (text: string) =>
    polishOf(code, { 'Hello <0>{name}</0>, {count} times': [text] }).faults[0]?.replace(/^.*”: /, '')
  expect(faultOf('<0>{name}</0> {count}')).toBeUndefined()
  expect(faultOf('<0>{nom}</0> {count}')).toBe('{nom} is not in the English text')
  expect(faultOf('<0>{name}</0>')).toBe('{count} is missing')
  expect(faultOf('<0>{name} {count}')).toBe('</0> is missing')
})

test('catalogues survive reading and writing, with what translators noted', () => {
  const po = `# Our own remark.
msgid ""
msgstr ""
"Language: pl\\n"
"Plural-Forms: ${polish}\\n"

# Ask Ada.
#. {0}: a hole
#: web/a.tsx:Page
#, fuzzy
msgctxt "the verb"
msgid ""
"Two\\n"
"\\"lines\\""
msgstr "Dwa\\\\"

#: web/b.tsx
msgid "{n} row"
msgid_plural "{n} rows"
msgstr[0] "a"
msgstr[1] "b"
msgstr[2] "c"

#~ msgid "gone"
#~ msgstr "stare"
`
  const catalogue = readPo(po)
  expect(
    catalogue.entries.map(({ id, texts: all, isFuzzy, remarks }) => [id, all, isFuzzy, remarks]),
  ).toEqual([
    ['Two\n"lines"', ['Dwa\\'], true, ['Ask Ada.']],
    ['{n} row', ['a', 'b', 'c'], false, []],
  ])
  expect(readPo(writePo(catalogue, 3))).toEqual(catalogue)
  expect(() => readPo('msgid "a\nmsgstr ""')).toThrow('line 1')
  // A guess counts as no translation.
  expect(languageOf('pl', catalogue).texts.size).toBe(1)
})

test('an update keeps what is still said, adds what is new, and drops the rest', () => {
  const [first] = all
  const gone = { ...first, id: 'Said no more', texts: ['x'] } as PoEntry
  const translated = { ...first, texts: ['Przywracanie'], remarks: ['mine'] } as PoEntry
  const { catalogue, gone: dropped } = updated(
    'pl',
    { head: {}, remarks: [], entries: [gone, translated] },
    all,
  )
  expect(dropped).toBe(1)
  expect(catalogue.entries.length).toBe(all.length)
  expect(catalogue.entries[0]).toMatchObject({ texts: ['Przywracanie'], remarks: ['mine'] })
  expect(catalogue.head['Plural-Forms']).toContain('nplurals=3')
})

test('every family of plurals agrees with the rules of its languages', () => {
  for (const tag of ['ja', 'de', 'fr', 'pl', 'ru', 'cs', 'lt', 'ro', 'he', 'sl', 'ga', 'ar'])
    expect(typeof pluralsOf(tag, headerFor(tag)), tag).toBe('object')
  expect(pluralsOf('de', 'nplurals=2; plural=(n > 1);')).toContain('elsewhere')
  expect(pluralsOf('pl', undefined)).toContain('missing')
  expect(pluralsOf('pl', 'nplurals=2; plural=process.exit();')).toContain('not understood')
})

test('pages say their language and its direction before a script has run', () => {
  const html = '<html lang="en-US" dir="ltr"><noscript>This needs JavaScript.</noscript></html>'
  expect(textsOfPage(html)).toEqual(['This needs JavaScript.'])
  expect(pageIn(html, 'ar', () => 'A < B')).toBe(
    '<html lang="ar" dir="rtl"><noscript>A &lt; B</noscript></html>',
  )
  expect(['de', 'he', 'fa', 'ur'].map(directionOf)).toEqual(['ltr', 'rtl', 'rtl', 'rtl'])
})

test('a translator gets every text of the web app: `npm run texts` writes texts/messages.pot', () => {
  const names = (entries: readonly PoEntry[]) => entries.map(({ id, many, places }) => ({ id, many, places }))
  expect(names(readPo(templateOf(all)).entries)).toEqual(names(all))
})
