// Moves files and folders, and everything that names them: node run/move.mjs <list>, a line of the list being "<from> <to>".
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const listed = (...args) => execFileSync('git', ['ls-files', '-z', ...args], { encoding: 'utf8' }).split('\0')
const files = listed().filter((file) => file !== '' && existsSync(file))
const places = new Map()
for (const line of readFileSync(process.argv[2], 'utf8').split('\n')) {
  const [from, to] = line.trim().split(/\s+/)
  if (!from || !to) continue
  const moved = files.filter((file) => file === from || file.startsWith(`${from}/`))
  if (moved.length === 0) throw new Error(`nothing is called ${from}`)
  for (const file of moved) {
    const place = to + file.slice(from.length)
    if (existsSync(place) && !places.has(place)) throw new Error(`${place} is there already`)
    places.set(file, place)
  }
}
const placeOf = (file) => places.get(file) ?? file

/** How a file names another one by its path from itself. */
function relative(from, to) {
  const name = path.relative(path.dirname(from), to)
  return name.startsWith('.') ? name : `./${name}`
}

const known = new Set([...files, ...files.flatMap((file) => foldersOf(file))])
function foldersOf(file) {
  const folder = path.dirname(file)
  return folder === '.' ? [] : [folder, ...foldersOf(folder)]
}

/** Of a line that asks where the file lies, a path is one even if nothing is there now, for example what the build makes. */
function renamed(file, line) {
  const asksWhere = line.includes('import.meta')
  return line.replaceAll(/(['"`(])(\.\.?\/[^'"`)\s?]*)/g, (all, quote, name) => {
    const target = path.normalize(path.join(path.dirname(file), name))
    const isKnown = known.has(target.replace(/\/$/, ''))
    if (!isKnown && !(asksWhere && places.has(file))) return all
    if (placeOf(file) === file && placeOf(target) === target) return all
    const slash = name.endsWith('/') ? '/' : ''
    return `${quote}${relative(placeOf(file), placeOf(target.replace(/\/$/, '')))}${slash}`
  })
}

const byLength = [...places.keys()].toSorted((a, b) => b.length - a.length)
const named = new RegExp(
  `(?<![\\w/.-])(${byLength.map((one) => one.replaceAll(/[.[\]]/g, '\\$&')).join('|')})(?![\\w-])`,
  'g',
)

for (const file of files) {
  if (/\.(?:png|jpe?g|woff2|mp4|gz|pdf|ico|webp|age|tar)$/.test(file) || file.endsWith('package-lock.json'))
    continue
  const text = readFileSync(file, 'utf8')
  const code = /\.(?:tsx?|mjs|js|css|html)$/.test(file)
  const lines = code
    ? text
        .split('\n')
        .map((line) => renamed(file, line))
        .join('\n')
    : text
  const changed = lines.replaceAll(named, (name) => places.get(name))
  if (changed !== text) writeFileSync(file, changed)
}
for (const [from, to] of places) {
  mkdirSync(path.dirname(to), { recursive: true })
  renameSync(from, to)
}
