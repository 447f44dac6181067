import { createHash } from 'node:crypto'
import path from 'node:path'
import { browserFileOf } from './browser.ts'
import { changeFile, makeCopy, readProduct, removeCopy, root, runScript } from './copy.ts'
import { readList, save, withFault, type Fault } from './list.ts'
import { mutations } from './mutations.ts'

type Candidate = Omit<Fault, 'id' | 'browser'>

const count = 60
const noCode = /^(\/\/|\/?\*|import |export (type|\{|\*)|type |interface |declare )/
const noUse = /\b(log|logger|console)\b|className|style=/

/**
 * Draws what the list lacks: a fault of each room, then further ones of the largest rooms; none that the compiler sees. A list that
 * was drawn by another seed is drawn anew.
 */
export function draw(seed: number): void {
  console.log(`Seed: ${seed}`)
  makeCopy()
  const { passedOver, ...drawn } = readList()
  const rooms = candidatesByRoom(seed, new Set(Object.keys(passedOver)))
  let kept = drawn.seed === seed ? drawn.faults.filter(({ before }) => !(before in passedOver)) : []
  for (;;) {
    const faults = choose(rooms, kept)
    const seen = seenByCompiler(faults)
    kept = faults.filter((fault) => !seen.includes(fault))
    save('faults', { seed, passedOver, faults: kept })
    if (seen.length === 0) break
    console.log(`The compiler sees ${seen.length}; drawing those again.`)
    for (const { room, before } of seen)
      rooms.set(
        room,
        (rooms.get(room) ?? []).filter((candidate) => candidate.before !== before),
      )
  }
  removeCopy()
}

/** Rooms by their number of candidates, the largest first; the candidates of each shuffled by the seed. */
function candidatesByRoom(seed: number, passedOver: Set<string>): Map<string, Candidate[]> {
  const product = readProduct()
  const lines = [...product.values()].flatMap((text) => text.split('\n').map((line) => line.trim()))
  const times = Map.groupBy(lines, (line) => line)
  const isUsable = (line: string) =>
    line.length > 12 &&
    times.get(line)?.length === 1 &&
    !noCode.test(line) &&
    !noUse.test(line) &&
    !passedOver.has(line)
  const candidates = [...product].flatMap(([file, text]) =>
    text.split('\n').flatMap((line) => (isUsable(line.trim()) ? faultsOf(file, line.trim()) : [])),
  )
  const key = (one: Candidate) =>
    createHash('sha256').update(`${seed} ${one.kind} ${one.before}`).digest('hex')
  const shuffled = candidates.map((one) => ({ one, key: key(one) })).sort((a, b) => (a.key < b.key ? -1 : 1))
  const rooms = Map.groupBy(
    shuffled.map(({ one }) => one),
    ({ room }) => room,
  )
  return new Map([...rooms].filter(([, all]) => all.length >= 10).sort(([, a], [, b]) => b.length - a.length))
}

function faultsOf(file: string, before: string): Candidate[] {
  const [room = '', second = '', third] = file.split('/')
  const named = room === 'contract' || third === undefined ? room : `${room}/${second}`
  return mutations.flatMap(({ kind, change }) => {
    const after = change(before)
    return after === undefined ? [] : [{ room: named, file, kind, before, after }]
  })
}

/** For each place that has none the kind that was used least so far, in a file that has no fault yet. */
function choose(rooms: Map<string, Candidate[]>, kept: Fault[]): Fault[] {
  const faults = [...kept]
  const places = [...rooms.keys(), ...rooms.keys()]
    .slice(0, count)
    .map((room, index) => ({ room, id: index + 1 }))
  for (const { room, id } of places.filter((place) => kept.every((fault) => fault.id !== place.id))) {
    const free = (rooms.get(room) ?? []).filter(({ file }) => faults.every((fault) => fault.file !== file))
    const uses = (one: Candidate) => faults.filter(({ kind }) => kind === one.kind).length
    const least = Math.min(...free.map(uses))
    const chosen = free.find((one) => uses(one) === least)
    if (chosen) faults.push({ id, ...chosen, browser: browserFileOf(chosen.file) })
  }
  return faults.sort((a, b) => a.id - b.id)
}

/** All faults are made at once: with none of them the compiler is content, so what it says names their files. */
function seenByCompiler(faults: Fault[]): Fault[] {
  const changes = faults.map((fault) => changeFile(fault.file, withFault(fault)?.text ?? ''))
  const { passed, output } = runScript([path.join(root, 'node_modules/typescript/bin/tsc'), '-b'])
  for (const { undo } of changes) undo()
  if (passed) return []
  const named = new Set([...output.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, file]) => file))
  const seen = faults.filter(({ file }) => named.has(file))
  // What it says of a file without a fault comes from a schema of the contract.
  return seen.length > 0 ? seen : faults.filter(({ room }) => room === 'contract')
}
