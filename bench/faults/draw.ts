import { createHash } from 'node:crypto'
import { changeFile, makeCopy, readProduct, removeCopy, runScript } from './copy.ts'
import { readList, save, withFault, type Fault, type FaultList } from './list.ts'
import { mutations } from './mutations.ts'

type Drawn = Pick<Fault, 'file' | 'before' | 'after'>

const noCode = /^(\/\/|\/?\*|import |export (type|\{|\*)|type |interface |declare )/
const noUse = /\b(log|logger|console)\b|className|style=/
const roomOf = (file: string) =>
  file
    .split('/')
    .slice(0, file.startsWith('contract/') ? 1 : 2)
    .join('/')

/** In the place of each fault whose line is gone: another one of its room, in a file that has none. What should see it is to be named. */
export function draw(): void {
  makeCopy()
  const list = readList()
  for (const [at, { id, file, before }] of list.faults.entries()) {
    if (withFault(list.faults[at] as Fault)) continue
    const drawn = candidates(list, roomOf(file)).find((one) => !isSeenByCompiler(one))
    if (!drawn) throw new Error(`There is no further fault for ${roomOf(file)}.`)
    list.faults[at] = { id, ...drawn, insteadOf: before }
    save(list)
    console.log(`${id} instead of ${before}\n${drawn.file}\n- ${drawn.before}\n+ ${drawn.after}`)
  }
  removeCopy()
}

/** In an order that the seed gives. */
function candidates({ seed, passedOver, faults }: FaultList, room: string): Drawn[] {
  const product = readProduct()
  const lines = [...product.values()].flatMap((text) => text.split('\n').map((line) => line.trim()))
  const times = Map.groupBy(lines, (line) => line)
  const isUsable = (line: string) =>
    line.length > 12 &&
    times.get(line)?.length === 1 &&
    !noCode.test(line) &&
    !noUse.test(line) &&
    !(line in passedOver)
  const free = [...product].filter(
    ([file]) => roomOf(file) === room && faults.every((fault) => fault.file !== file),
  )
  const key = ({ before, after }: Drawn) =>
    createHash('sha256').update(`${seed} ${before} ${after}`).digest('hex')
  return free
    .flatMap(([file, text]) => text.split('\n').flatMap((line) => faultsOf(file, line.trim())))
    .filter(({ before }) => isUsable(before))
    .map((one) => ({ one, key: key(one) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ one }) => one)
}

function faultsOf(file: string, before: string): Drawn[] {
  return mutations.flatMap((change) => {
    const after = change(before)
    return after === undefined ? [] : [{ file, before, after }]
  })
}

function isSeenByCompiler(drawn: Drawn): boolean {
  const undo = changeFile(drawn.file, withFault({ id: 0, ...drawn })?.text ?? '')
  const { passed } = runScript(['node_modules/typescript/bin/tsc', '-b'])
  undo()
  return !passed
}
